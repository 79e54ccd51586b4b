/**
 * The PATH for tests: an agent that the developer has installed is on none of it, as tests say themselves which agents are there;
 * and Python is started itself, where a version manager has put a script in its place, which starts 40 processes each time.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, symlinkSync } from "node:fs";
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
  return [...withPython(parts, join(folder, "python")), ...kept].join(delimiter);
}

/** A folder with the first Python that is no script, where one that is a script stands before it. */
function withPython(parts: readonly string[], folder: string): string[] {
  const found = parts.map((part) => join(part, "python3")).filter(existsSync);
  const itself = found.find((file) => !isScript(file));
  if (itself === undefined || itself === found[0]) return [];
  mkdirSync(folder, { recursive: true });
  symlinkSync(itself, join(folder, "python3"));
  return [folder];
}

function isScript(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const start = Buffer.alloc(2);
    readSync(descriptor, start);
    return start.toString() === "#!";
  } finally {
    closeSync(descriptor);
  }
}
