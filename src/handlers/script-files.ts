/** Which files a script is run for, and where it runs: names that its condition found, less those that are as they were. */
import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { HookEvent, Json } from "../core/event.ts";
import type { StepContext } from "../core/ports.ts";

export interface ScriptFiles {
  /** The workspace: where the script runs, and what the names are relative to. */
  folder: string;
  /** With forward slashes. */
  there: string[];
  /** They match as well, but nobody can open them. */
  gone: string[];
}

/** Where the script was written; of a linked worktree that uses another's scripts, and of a user's scripts, the event's. */
export function workspaceOf({ event, hook }: Pick<StepContext, "event" | "hook">): string {
  const { root } = hook.origin;
  if (root !== undefined && isWithin(root, event.cwd)) return root;
  return changesBase(event) ?? event.cwd;
}

/**
 * The files of the script's debt, or of the event. Undefined: nothing was found for it, so nothing can be missing.
 *
 * A file that differs neither since the last look nor since the session began is back to what it was. Where that cannot be
 * told, all are kept.
 */
export function scriptFiles(context: StepContext): ScriptFiles | undefined {
  const { event, scope } = context;
  const found = namesIn(scope.match?.files);
  const names = found ?? namedBy(event);
  if (!names) return undefined;
  const folder = workspaceOf(context);
  const base = found ? baseOf(context) : event.cwd;
  const differs = differing(event, base);
  const files: ScriptFiles = { folder, there: [], gone: [] };
  for (const name of names) {
    const path = resolve(base, name);
    if (differs?.(path) === false) continue;
    (isThere(path) ? files.there : files.gone).push(base === folder ? name : withSlashes(relative(folder, path)));
  }
  return files;
}

const namesIn = (list: Json | undefined): string[] | undefined =>
  Array.isArray(list) ? list.filter((name) => typeof name === "string") : undefined;

/** The files that the event names itself: relative to its folder, and whatever differs, they are meant. */
const namedBy = ({ data }: HookEvent): string[] | undefined =>
  namesIn(data.changed_files) ?? namesIn(data.files_touched);

/** What the names are relative to that the condition changed_files finds. */
function baseOf({ event, hook }: Pick<StepContext, "event" | "hook">): string {
  const { root } = hook.origin;
  if (root !== undefined && isWithin(root, event.cwd)) return root;
  return (namedBy(event) ? undefined : changesBase(event)) ?? event.cwd;
}

const changesBase = ({ changes }: HookEvent): string | undefined =>
  changes && "base" in changes ? changes.base : undefined;

/** Whether a file below `from` still differs; undefined where that is not known. */
function differing(event: HookEvent, from: string): ((path: string) => boolean) | undefined {
  const { changes } = event;
  if (!changes || "unknown" in changes || changes.truncated || namedBy(event)) return undefined;
  const [base, start] = [realPath(changes.base), realPath(from)];
  if (!isWithin(base, start) && !isWithin(start, base)) return undefined;
  const paths = new Set([...changes.files, ...changes.earlier].map((name) => resolve(base, name)));
  return (path) => paths.has(resolve(start, relative(from, path)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it is gone: its name is all that is left of it
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder of its name has become a file
  }
}

const withSlashes = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));

function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === "" || (below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below));
}
