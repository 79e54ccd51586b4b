/** Which files a script is run for, and where it runs: names that its condition found, less those that are as they were. */
import { lstatSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { HookEvent } from "../../engine/event.ts";
import { filesNamedBy, ownRoot, textsIn } from "../../engine/file-pattern.ts";
import type { StepContext } from "../../engine/ports.ts";
import { pathOf } from "../../files/names.ts";
import { pathInside, realPath } from "../repository.ts";

export interface ScriptFiles {
  /** The workspace: where the script runs, and what the names are relative to. */
  folder: string;
  /** With forward slashes. */
  there: string[];
  /** They match as well, but nobody can open them. */
  gone: string[];
}

/** Where the script was written; of a linked worktree that uses another's scripts, and of a user's scripts, the event's. */
export const workspaceOf = ({ event, hook }: Pick<StepContext, "event" | "hook">): string =>
  ownRoot(hook.origin.root, event.cwd) ?? changesBase(event) ?? event.cwd;

/**
 * The files of the script's debt, or of the event. Undefined: nothing was found for it, so nothing can be missing.
 *
 * A file that differs neither since the last look nor since the session began is back to what it was. Where that cannot be
 * told, all are kept.
 */
export function scriptFiles(context: StepContext): ScriptFiles | undefined {
  const { event, hook, scope } = context;
  const named = filesNamedBy(event);
  const found = textsIn(scope.match?.files);
  const names = found ?? named?.files;
  if (!names) return undefined;
  const folder = workspaceOf(context);
  // What the condition has found starts from the hook's root; what only the event names, from where the event says.
  const base = (found && ownRoot(hook.origin.root, event.cwd)) ?? named?.base ?? changesBase(event) ?? event.cwd;
  const differs = named ? undefined : differing(event, base); // whatever differs, what an event names is meant
  const files: ScriptFiles = { folder, there: [], gone: [] };
  for (const name of names) {
    const path = resolve(base, name);
    if (differs?.(path) === false) continue;
    (isThere(path) ? files.there : files.gone).push(base === folder ? name : withSlashes(relative(folder, path)));
  }
  return files;
}

const changesBase = ({ changes }: HookEvent): string | undefined =>
  changes && "base" in changes ? changes.base : undefined;

/** Whether a file below `from` still differs; undefined where that is not known. */
function differing(event: HookEvent, from: string): ((path: string) => boolean) | undefined {
  const { changes } = event;
  if (!changes || "unknown" in changes || changes.truncated) return undefined;
  const [base, start] = [realPath(changes.base), realPath(from)];
  if (pathInside(base, start) === undefined && pathInside(start, base) === undefined) return undefined;
  const paths = new Set([...changes.files, ...changes.earlier].map((name) => resolve(base, name)));
  return (path) => paths.has(resolve(start, relative(from, path)));
}

function isThere(path: string): boolean {
  try {
    return lstatSync(pathOf(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder of its name has become a file
  }
}

const withSlashes = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));

/** A run with this note has run no script. */
export const noFileLeft = "no matching file is left, so it was not run";

/** So many names of files are kept in a run's output; the script was given all. */
export const namesKept = 200;
