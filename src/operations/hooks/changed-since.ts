/** Which files of a hook were written since a moment: its own file and the script that it starts. For `why` and `explain`. */
import { statSync } from "node:fs";
import { agentVariables } from "../../agents/index.ts";
import type { Instant } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { inspected } from "../../formats/inspect.ts";

/** Absolute paths. A hook file that is there no more counts as changed; a script may never have been there. Never throws. */
export function changedSince(hook: Hook, at: Instant, { cwd, home }: { cwd: string; home: string }): string[] {
  const { file } = hook.origin;
  const script = inspected(hook, { cwd, home, variables: agentVariables })?.script?.path;
  return [
    ...(file !== undefined && (writtenAt(file) ?? Number.POSITIVE_INFINITY) > at ? [file] : []),
    ...(script !== undefined && script !== file && (writtenAt(script) ?? 0) > at ? [script] : []),
  ];
}

/** Undefined: it is gone, or this process may not look at it. */
function writtenAt(file: string): Instant | undefined {
  try {
    return Math.floor(statSync(file).mtimeMs);
  } catch {
    return undefined;
  }
}
