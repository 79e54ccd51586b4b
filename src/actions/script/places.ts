/** Where the status and the output of workspace scripts lie: a folder for each session and family of scripts (R68). */

import { lstatSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { HookEvent } from "../../engine/event.ts";
import { filesNamedBy, ownRoot, textsIn } from "../../engine/file-pattern.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Hook, HookSet } from "../../engine/hook.ts";
import type { StepContext } from "../../engine/ports.ts";
import { pathOf as pathOfName } from "../../files/names.ts";
import { pathInside } from "../../files/paths.ts";
import { realPath } from "../repository.ts";

export interface ScriptPlaces {
  home: string;
  /** Hookline's own state folder. */
  state: string;
}

/** A folder below one that is taken as it is. */
export interface ScriptFolder {
  base: string;
  parts: readonly string[];
}

export const pathOf = ({ base, parts }: ScriptFolder): string => join(base, ...parts);

/** What a script's hook says of it; a hook of another kind says nothing. */
export interface ScriptHook {
  hook: Hook;
  type: string;
  slug: string;
  family: string;
}

export function scriptHookOf(hook: Hook): ScriptHook | undefined {
  const { uses, with: given } = hook.steps[0];
  if (uses !== "script") return undefined;
  const { type, slug, family } = given;
  return typeof type === "string" && typeof slug === "string" && typeof family === "string"
    ? { hook, type, slug, family }
    : undefined;
}

/** A script as it stands in a status file. */
export interface Entry extends ScriptHook {
  folder: ScriptFolder;
  /** Its key in the status, and the name of its log. */
  key: string;
}

/** The scripts of a set for this event's session, in running order. Two in one folder never share a key. */
export function entriesOf(set: HookSet, event: HookEvent, places: ScriptPlaces): Entry[] {
  const taken = new Set<string>();
  return set.hooks.flatMap((hook): Entry[] => {
    const script = scriptHookOf(hook);
    if (!script) return [];
    const entry = entryOf(script, event, places);
    const place = join(pathOf(entry.folder), entry.key);
    if (!taken.has(place)) {
      taken.add(place);
      return [entry];
    }
    return [{ ...entry, key: `${entry.key}-${fingerprint(hook.id).slice(0, 8)}` }];
  });
}

export const entryOf = (script: ScriptHook, event: HookEvent, places: ScriptPlaces): Entry => ({
  ...script,
  folder: folderOf(script, event, places),
  key: fileName(script.slug),
});

function folderOf({ hook, family }: ScriptHook, event: HookEvent, { home, state }: ScriptPlaces): ScriptFolder {
  const own = ownName(hook, event);
  return family === "discobot"
    ? { base: join(home, ".discobot"), parts: [own, "hooks"] }
    : { base: state, parts: ["sessions", own, "hooks"] };
}

/** Without a session it is the workspace that runs follow each other in: commits, say. */
function ownName({ origin }: Hook, { session, cwd }: HookEvent): string {
  if (session === undefined) return `workspace-${fingerprint(origin.root ?? cwd)}`;
  return isPlain(session) ? session : `session-${fingerprint(session)}`;
}

const isPlain = (id: string): boolean => /^[A-Za-z0-9._-]{1,64}$/.test(id) && !/^\.+$/.test(id);

const longestName = 100;

/** A slug is a file's name already; what is none, or too long for one, becomes one. */
function fileName(slug: string): string {
  if (/^[a-z0-9_-]+$/.test(slug) && slug.length <= longestName) return slug;
  const plain = slug.replaceAll(/[^a-z0-9_-]/g, "-").slice(0, longestName - 33);
  return `${plain}-${fingerprint(slug)}`;
}

// Which files a script is run for, and where it runs: names that its condition found, less those that are as they
// were.

export interface ScriptFiles {
  /** The workspace: where the script runs, and what the names are relative to. */
  folder: string;
  /** With forward slashes. */
  there: string[];
  /** They match as well, but cannot be opened. */
  gone: string[];
}

/** Where the script was written; of a linked worktree that uses another's scripts, and of a user's scripts, the event's. */
export const workspaceOf = ({ event, hook }: Pick<StepContext, "event" | "hook">): string =>
  ownRoot(hook.origin.root, event.cwd) ?? changesBase(event) ?? event.cwd;

/**
 * The files of the script's pending check, or of the event. Undefined: nothing was found for it, so nothing can be missing.
 *
 * A file that differs neither since the last look nor since the session began is back to what it was. Where that is not
 * known, all are kept.
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
    return lstatSync(pathOfName(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // a folder of its name has become a file
  }
}

const withSlashes = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));

/** A run with this note has run no script. */
export const noFileLeft = "no matching file is left, so it was not run";

/** So many names of files are kept in a run's output; the script was given all. */
export const namesKept = 200;
