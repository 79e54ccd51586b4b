/** What the files of a session's workspace are compared with: noted when the session begins, and after hooks that look at changes (R57). */
import type { Changes, HookEvent, Instant, MaybePromise } from "./core/event.ts";
import { rowOf } from "./core/events.ts";
import { isThenable } from "./core/flow.ts";
import type { Condition, Hook, HookSet } from "./core/hook.ts";
import { listensTo } from "./core/plan.ts";
import type { Tracking } from "./core/ports.ts";
import type { Baseline, Store } from "./core/record.ts";
import type { ChangeFinder, Look, Place } from "./triggers/look.ts";
import { placeOf } from "./triggers/place.ts";

export interface TrackingOptions {
  store: Pick<Store, "baseline" | "setBaseline">;
  now(): Instant;
  home: string;
  /** The project's folder, where there is no repository. */
  root(event: HookEvent): string;
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
type Means = { changes: ChangeFinder } & Pick<typeof import("./triggers/look.ts"), "changesSince" | "baselineAfter">;

/** Events in progress whose hook sets are remembered; more are a leak. */
const eventsAtMost = 1_000;

export function createTracking({ store, now, home, root, finder }: TrackingOptions): Tracked {
  const sets = new Map<string, HookSet>();
  const looks = new WeakMap<object, { look: Look; place: Place }>();
  let made: Promise<Means> | undefined;
  let isClosed = false;
  const means = (): Promise<Means> => {
    if (isClosed && !made) return Promise.reject(new Error("it is closed"));
    made ??= Promise.all([finder(), import("./triggers/look.ts")]).then(([changes, look]) => ({ changes, ...look }));
    return made;
  };
  const placeAt = (event: HookEvent): Place => placeOf(event.cwd, root(event), home);

  function begin(event: HookEvent, set: HookSet): MaybePromise<void> {
    const { session } = event;
    if (session === undefined || !looksAtChanges(set)) return undefined;
    if (sets.size >= eventsAtMost) sets.clear();
    sets.set(event.id, set);
    const place = placeAt(event);
    const known = store.baseline(session, place.folder);
    if (known && !isThenable(known)) return undefined;
    return note(event, place, known);
  }

  /** The first event of the session in this folder: the commit that it begins with. */
  async function note(event: HookEvent, place: Place, known: MaybePromise<Baseline | undefined>): Promise<void> {
    if (event.session === undefined || (await known)) return;
    const { changes } = await means();
    changes.expect?.(place);
    const { begun, inside } = await changes.marks(place);
    await store.setBaseline(event.session, place.folder, {
      ...(begun === undefined ? {} : { begun, head: begun }),
      ...(inside ? { inside } : {}),
      at: { begun: event.at },
      files: {},
    });
  }

  async function changesOf(event: HookEvent): Promise<Changes | { unknown: string }> {
    try {
      const place = placeAt(event);
      const baseline = event.session === undefined ? undefined : await store.baseline(event.session, place.folder);
      const { changes, changesSince } = await means();
      const look = await changes.look(place, baseline?.at.begun ?? event.at);
      if ("unknown" in look) return look;
      const found = await changesSince(baseline, look);
      looks.set(found, { look, place });
      return found;
    } catch (error) {
      return { unknown: error instanceof Error ? error.message : String(error) };
    }
  }

  /** After the hooks, because what they wrote themselves is no change to be told of. */
  async function advance(event: HookEvent, asked: readonly Hook[]): Promise<void> {
    const { session, changes } = event;
    const seen = changes && looks.get(changes);
    const before = session === undefined || !seen ? undefined : await store.baseline(session, seen.place.folder);
    if (session === undefined || !seen || !before) return;
    const { changes: finding, baselineAfter } = await means();
    const fresh = asked.length === 0 ? seen.look : await finding.look(seen.place, before.at.begun);
    const after = baselineAfter("unknown" in fresh ? seen.look : fresh, before, now());
    await store.setBaseline(session, seen.place.folder, after);
  }

  const ended = (event: HookEvent): HookSet | undefined => {
    const set = sets.get(event.id);
    sets.delete(event.id);
    return set;
  };

  return {
    tracking: {
      begin: (event, set) => quietly(() => begin(event, set)),
      end(event, asked) {
        const set = ended(event);
        return set && event.changes && isLast(set, event) ? quietly(() => advance(event, asked)) : undefined;
      },
    },
    changesOf,
    async close() {
      isClosed = true;
      await made?.then(({ changes }) => changes.close()).catch(() => {}); // it never began
    },
  };
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
  const debtors = hooks.filter((hook) => hook.limits.untilPass && hook.enabled);
  return debtors.length > 0 ? debtors.some((hook) => listensTo(hook, name)) : rowOf(name).matchTool !== true;
}
