/** Where the status and the output of workspace scripts lie: a folder for each session and family of scripts (R68). */
import { join } from "node:path";
import type { HookEvent } from "../../engine/event.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Hook, HookSet } from "../../engine/hook.ts";

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
