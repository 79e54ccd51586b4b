/** The PATH for tests: an agent that the developer has installed is on none of it, as tests say themselves which agents are there. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { agents } from "../../src/agents/index.ts";

const programs: readonly string[] = Object.values(agents).map(({ program: { name } }) => name);

/** A folder that holds an agent is replaced by one below `folder` with links to everything else in it. */
export function pathWithoutAgents(path: string, folder: string): string {
  const parts = path.split(delimiter).filter((part) => part !== "");
  const kept = parts.map((part, index) => {
    if (!programs.some((program) => existsSync(join(part, program)))) return part;
    const own = join(folder, String(index));
    mkdirSync(own, { recursive: true });
    for (const name of readdirSync(part)) if (!programs.includes(name)) symlinkSync(join(part, name), join(own, name));
    return own;
  });
  return kept.join(delimiter);
}
