/** The files that we write for agents with plugins: the agent's own part, with runner.js, which runs the registered lines, in place of its import. */
import type { Seconds } from "../../engine/event.ts";
import { filled, ownText } from "../../files/own-text.ts";
import { continuationMark } from "./replies.ts";

export interface Printed {
  mark: string;
  calls: readonly { event: string; command: string }[];
}

/** Lines stand in it as JSON writes texts, so that install finds them again. One export only: OpenCode takes each for a plugin. */
export function printOwnFile(part: string, { mark, calls }: Printed, timeout: Seconds): string {
  const runner = ownText(import.meta.url, "./runner.js").replace(/^export \{[^}]*\};\n/m, "");
  const entries = calls.map(
    ({ event, command }) => `  ${event}: { line: ${JSON.stringify(command)}, guarded: ${isGuarded(command)} },\n`,
  );
  const text = filled(
    part.replace(/^import \{[^}]*\} from "[./\w-]+\/runner\.js";\n/m, () => runner),
    {
      LINES: `{\n${entries.join("")}}`,
      LIMIT: String(timeout * 1000),
      CONTINUATION_MARK: JSON.stringify(continuationMark),
    },
  );
  return `// ${mark}\n// Written by "hookline install"; "hookline uninstall" takes it away. Changes are lost.\n${text}`;
}

const isGuarded = (command: string): boolean => / --guarded;/.test(command);
