/** What the files of a session's workspace are compared with: noted when the session begins, and after hooks that look at changes (R57). */

import { lstatSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Changes, HookEvent, Instant, MaybePromise, SessionId } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { isThenable } from "../../engine/flow.ts";
import type { Condition, Hook, HookSet } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import type { Tracking } from "../../engine/ports.ts";
import type { Baseline, RunStatus, Store } from "../../engine/record.ts";
import { pathOf } from "../../files/names.ts";
import { textAt } from "../../files/regular-file.ts";
import type { Repository } from "../processes/git.ts";
import type { ChangeFinder, Look, Marks, Place } from "./look.ts";

interface TrackingOptions {
  store: Pick<Store, "baseline" | "setBaseline" | "turn">;
  now(): Instant;
  home: string;
  /** The folder of the event's project, where it is known. */
  root(event: HookEvent): string | undefined;
  /** Made when it is first needed: most events look at no changes. */
  finder(): Promise<ChangeFinder>;
}
export interface Tracked {
  tracking: Tracking;
  /** What has changed for the session of this event. Never rejects. */
  changesOf(event: HookEvent): Promise<Changes | { unknown: string }>;
  close(): Promise<void>;
}

/** Loaded when they are first needed. */
type Means = { changes: ChangeFinder } & Pick<typeof import("./look.ts"), "changesSince" | "baselineAfter">;

/** Whose look it is: in one repository several projects may lie, and the scripts of one have not seen what another's saw. */
interface Viewpoint {
  place: Place;
  project: string;
}
interface Seen {
  look: Look;
  /** What it was compared with; absent: the event has no session, or nothing was noted. */
  before: Baseline | undefined;
  viewpoint: Viewpoint;
}

/** Events in progress whose hook sets are remembered; more are a leak. */
const eventsAtMost = 1_000;

export function createTracking({ store, now, home, root, finder }: TrackingOptions): Tracked {
  const sets = createSetsInProgress();
  const looks = new WeakMap<object, Seen>();
  let made: Promise<Means> | undefined;
  let isClosed = false;
  const means = (): Promise<Means> => {
    if (isClosed && !made) return Promise.reject(new Error("it is closed"));
    made ??= Promise.all([finder(), import("./look.ts")]).then(([changes, look]) => ({ changes, ...look }));
    return made;
  };
  const viewpointOf = (event: HookEvent): Viewpoint => viewpointAt(event.cwd, root(event), home);

  function begin(event: HookEvent, set: HookSet): MaybePromise<void> {
    const { session } = event;
    const willLook = looksAtChanges(set);
    if (session === undefined || !(willLook || rowOf(event.name).beginsSession)) return undefined;
    if (willLook) sets.add(event.id, set);
    const { place } = viewpointOf(event);
    const known = store.baseline(session, place.folder);
    if (known && !isThenable(known)) return undefined;
    return note(event, place, { known, marks: () => (willLook ? marksOf(place) : marksAtOnce(place)) });
  }

  /** The commit that the session begins with here. */
  async function note(event: HookEvent, place: Place, { known, marks }: Beginning): Promise<void> {
    if (event.session === undefined || (await known)) return;
    const found = await marks();
    if (found) await store.setBaseline(event.session, place.folder, firstBaseline(found, event.at));
  }

  async function marksOf(place: Place): Promise<Marks> {
    const { changes } = await means();
    changes.expect?.(place);
    return changes.marks(place);
  }

  async function changesOf(event: HookEvent): Promise<Changes | { unknown: string }> {
    try {
      const viewpoint = viewpointOf(event);
      const before = event.session === undefined ? undefined : await baselineFor(event.session, viewpoint);
      const { changes, changesSince } = await means();
      const look = await changes.look(viewpoint.place, before?.at.begun ?? event.at);
      if ("unknown" in look) return look;
      const found = await changesSince(before, look);
      looks.set(found, { look, before, viewpoint });
      return found;
    } catch (error) {
      return { unknown: messageOf(error) };
    }
  }

  /** How all was when the project's hooks last ended, else when the session began. */
  const baselineFor = async (session: SessionId, viewpoint: Viewpoint): Promise<Baseline | undefined> =>
    (await store.baseline(session, keyOf(viewpoint))) ?? store.baseline(session, viewpoint.place.folder);

  async function advance(event: HookEvent, ends: readonly RunStatus[]): Promise<void> {
    const { session, changes } = event;
    const seen = changes && looks.get(changes);
    if (session === undefined || !seen?.before) return;
    const { baselineAfter } = await means();
    const after = await baselineAfter(await lookAfter(event, seen, ends), seen.before, now());
    await store.setBaseline(session, keyOf(seen.viewpoint), after);
  }

  /** What hooks wrote themselves is no change to report. What came with the next turn is. */
  async function lookAfter({ session, turn }: HookEvent, seen: Seen, ends: readonly RunStatus[]): Promise<Look> {
    if (session === undefined || ends.length === 0 || ends.includes("cancelled")) return seen.look;
    const { changes } = await means();
    const fresh = await changes.look(seen.viewpoint.place, seen.before?.at.begun ?? now());
    if ("unknown" in fresh) return seen.look;
    const { number } = await store.turn(session);
    return turn && number > turn.number ? seen.look : fresh;
  }

  return {
    tracking: {
      begin: (event, set) => quietly(() => begin(event, set)),
      end(event, asked) {
        const set = sets.take(event.id);
        return set && asked && event.changes && isLast(set, event) ? quietly(() => advance(event, asked)) : undefined;
      },
    },
    changesOf,
    async close() {
      isClosed = true;
      await made?.then(({ changes }) => changes.close()).catch(() => {}); // it never began
    },
  };
}

/** What the changes of a session that begins here are compared with. */
interface Beginning {
  known: MaybePromise<Baseline | undefined>;
  marks(): MaybePromise<Marks | undefined>;
}

const firstBaseline = ({ begun, inside }: Marks, at: Instant): Baseline => ({
  ...(begun === undefined ? {} : { begun, head: begun }),
  ...(inside ? { inside } : {}),
  at: { begun: at },
  files: {},
});

/** The hook sets of events in progress, by the event's id. */
function createSetsInProgress() {
  const sets = new Map<string, HookSet>();
  return {
    add(id: string, set: HookSet): void {
      if (sets.size >= eventsAtMost) sets.clear();
      sets.set(id, set);
    },
    take(id: string): HookSet | undefined {
      const set = sets.get(id);
      sets.delete(id);
      return set;
    },
  };
}

function viewpointAt(cwd: string, root: string | undefined, home: string): Viewpoint {
  const place = placeOf(cwd, root ?? cwd, home);
  return { place, project: root ?? place.folder };
}

/** Under what the last look of a project's hooks is kept, beside what the folder alone began with. */
const keyOf = ({ place, project }: Viewpoint): string => JSON.stringify([place.folder, project]);

/**
 * Where no hook looks at changes yet, but one of a project further down may: as far as that is known without git.
 * Undefined: it is not.
 */
function marksAtOnce({ folder, isRepository }: Place): Marks | undefined {
  if (!isRepository) return {};
  const begun = headOf(folder);
  return begun === undefined ? undefined : { begun };
}

/** Without a baseline, or with the last one, the next event sees more changes than there were: none is lost. */
function quietly(work: () => MaybePromise<void>): MaybePromise<void> {
  try {
    const done = work();
    return isThenable(done) ? Promise.resolve(done).catch(() => {}) : done;
  } catch {
    return undefined;
  }
}

const looking = new WeakMap<HookSet, boolean>();

/** Whether a hook of the set has a condition on changed files. */
function looksAtChanges(set: HookSet): boolean {
  const known = looking.get(set);
  if (known !== undefined) return known;
  const answer = set.hooks.some(looks);
  looking.set(set, answer);
  return answer;
}

const looks = ({ when, limits }: Hook): boolean => limits.untilPass === true || (when !== undefined && asks(when));

function asks(condition: Condition): boolean {
  if ("all" in condition) return condition.all.some(asks);
  if ("any" in condition) return condition.any.some(asks);
  if ("not" in condition) return asks(condition.not);
  return condition.is === "changed_files";
}

/**
 * Whether what has changed counts as seen after this event. Hooks that have to pass see everything since they last
 * ended, so only their own events end it; without any, every event does that is not about one tool call.
 */
function isLast({ hooks }: HookSet, { name }: HookEvent): boolean {
  const mustPass = hooks.filter((hook) => hook.limits.untilPass && hook.enabled);
  return mustPass.length > 0 ? mustPass.some((hook) => listensTo(hook, name)) : rowOf(name).matchTool !== true;
}

// Where the changes of an event are looked for, as files say it, at once, where git would be a process: the folder,
// the repository of a work tree, and what its HEAD leads to.

/**
 * @param root the project's folder, for where there is no repository
 * @param home nothing at or above it is one project's repository (R58)
 */
export function placeOf(cwd: string, root: string, home: string): Place {
  const end = resolve(home);
  for (let folder = resolve(cwd); folder !== end; folder = dirname(folder)) {
    if (exists(join(folder, ".git"))) return { folder, isRepository: true };
    if (dirname(folder) === folder) break;
  }
  return { folder: resolve(root), isRepository: false };
}

export const exists = (path: string): boolean => entryAt(path) !== undefined;
export const isFolder = (path: string): boolean => entryAt(path)?.isDirectory() ?? false;

/** A link counts for itself. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(pathOf(path), { throwIfNoEntry: false });
  } catch {
    return undefined; // a file lies in the way, or it may not be read
  }
}

export type HeadPlaces = Pick<Repository, "gitFolder" | "commonFolder">;

const smallInBytes = 4 << 10;
const packedInBytes = 8 << 20;
const linksAtMost = 5;

/** HEAD names a branch, whose file may name another. One that is packed has no file, and changes with the packed ones. */
export const refFilesOf = (places: HeadPlaces): string[] =>
  refsOf(places).names.map((name) => join(places.commonFolder, name));

/** The commit that the work tree of this folder is at; undefined: only git can tell, as where refs are neither loose nor packed. Never throws. */
export function headOf(top: string): string | undefined {
  const places = placesOf(top);
  if (!places) return undefined;
  const { names, text } = refsOf(places);
  return commitIn(text) ?? packedCommit(places.commonFolder, names.at(-1));
}

/** The names that HEAD leads to, one behind the other, and what stands at their end. */
function refsOf({ gitFolder, commonFolder }: HeadPlaces): { names: string[]; text: string } {
  const names: string[] = [];
  let text = textOf(join(gitFolder, "HEAD"));
  while (names.length < linksAtMost) {
    const name = /^ref: (refs\/\S+)\s*$/.exec(text)?.[1];
    if (name === undefined || name.split("/").includes("..")) break;
    names.push(name);
    text = textOf(join(commonFolder, name));
  }
  return { names, text };
}

/** A linked work tree, and a submodule, has a file that names its folder. Undefined: there is none. Never throws. */
export function placesOf(top: string): HeadPlaces | undefined {
  const path = join(top, ".git");
  const named = /^gitdir: (.+?)\s*$/.exec(textOf(path))?.[1];
  const gitFolder = named === undefined ? path : resolve(top, named);
  if (!isFolder(gitFolder)) return undefined;
  const common = textOf(join(gitFolder, "commondir")).trim();
  return { gitFolder, commonFolder: common === "" ? gitFolder : resolve(gitFolder, common) };
}

const commitIn = (text: string): string | undefined => /^([0-9a-f]{40,64})\s*$/.exec(text)?.[1];

function packedCommit(commonFolder: string, name: string | undefined): string | undefined {
  const line = textOf(join(commonFolder, "packed-refs"), packedInBytes)
    .split("\n")
    .find((one) => name !== undefined && one.endsWith(` ${name}`));
  return line === undefined ? undefined : commitIn(line.slice(0, line.indexOf(" ")));
}

const textOf = (path: string, atMostInBytes = smallInBytes): string => textAt(path, atMostInBytes) ?? ""; // not there
