/** The record as people ask it, and the run or the event that a person names: by its id, or by the beginning that no other has. */
import { HooklineError } from "../engine/error.ts";
import type { HookEvent, HookId, MaybePromise } from "../engine/event.ts";
import type { Run, Store, StoredEvent } from "../engine/record.ts";
import { isInside } from "../files/paths.ts";
import type { Asked } from "./operation.ts";

export interface RecordStore extends Omit<Store, "repair"> {
  /** The ids that begin so: at most so many. */
  idsFrom(table: "run" | "event", beginning: string, most: number): MaybePromise<string[]>;
  /** The newest event in these folders or below them. */
  newestEventIn(folders: readonly string[]): MaybePromise<string | undefined>;
  /** By their ids, as far as they are still there. */
  eventsCalled(ids: readonly string[]): MaybePromise<ReadonlyMap<string, HookEvent>>;
  /** With the names that they had last; also those that are gone. */
  hooksWithRuns(): MaybePromise<{ hook: HookId; name: string }[]>;
}

export const recordOf = async ({ record, store }: Pick<Asked, "record" | "store">): Promise<RecordStore> =>
  (await record?.()) ?? lookingThrough(store);

/** So many of the newest rows are looked through. */
const lookedThrough = 1_000;

/** A store that finds nothing but by whole ids, such as that of one process, is looked through. */
const lookingThrough = (store: Store): RecordStore => ({
  ...store,
  async idsFrom(table, beginning, most) {
    if (await (table === "run" ? store.run(beginning) : store.event(beginning))) return [beginning];
    const ids =
      table === "run"
        ? (await store.runs({ limit: lookedThrough })).map(({ id }) => id)
        : (await store.events(lookedThrough)).map(({ event }) => event.id);
    return ids.filter((id) => id.startsWith(beginning)).slice(0, most);
  },
  newestEventIn: async (folders) =>
    (await store.events(lookedThrough)).find(({ event }) => folders.some((folder) => isInside(folder, event.cwd)))
      ?.event.id,
  async eventsCalled(ids) {
    const found = await Promise.all(ids.map((id) => store.event(id)));
    return new Map(found.flatMap((stored) => (stored ? [[stored.event.id, stored.event] as const] : [])));
  },
  async hooksWithRuns() {
    const runs = await store.runs({ limit: lookedThrough });
    return [...new Map(runs.map(({ hook, hookName }) => [hook, { hook, name: hookName }])).values()];
  },
});

/** As much of an id as tells it from others (runtime/system.ts). */
export const shortId = (id: string): string => (/^[0-9a-z]{26}$/.test(id) ? id.slice(0, 13) : id);

type Reading = Pick<RecordStore, "idsFrom" | "run" | "event">;

/** @throws HooklineError run_unknown, also where several begin so */
export async function runNamed(store: Reading, name: string): Promise<Run> {
  const id = await idNamed(store, name, ["run"]);
  return (id === undefined ? undefined : await store.run(id)) ?? unknown(name);
}

interface NamedEvent {
  stored: StoredEvent;
  /** Where its run was named. */
  run?: string;
}

/** @throws HooklineError run_unknown, also where several begin so */
export const eventNamed = async (store: Reading, name: string): Promise<NamedEvent> =>
  (await eventIfNamed(store, name)) ?? unknown(name);

/** Undefined: no run and no event is called so. @throws HooklineError run_unknown where several begin so */
export async function eventIfNamed(store: Reading, name: string): Promise<NamedEvent | undefined> {
  const id = await idNamed(store, name, ["run", "event"]);
  const run = id === undefined ? undefined : await store.run(id);
  const stored = id === undefined ? undefined : await store.event(run?.eventId ?? id);
  return stored && { stored, ...(run ? { run: run.id } : {}) };
}

const shownAtMost = 8;

async function idNamed(
  store: Reading,
  name: string,
  tables: readonly ("run" | "event")[],
): Promise<string | undefined> {
  const found = (await Promise.all(tables.map((table) => store.idsFrom(table, name, shownAtMost + 1)))).flat();
  if (found.includes(name)) return name;
  const [one, ...others] = found;
  if (one === undefined || name === "") return undefined;
  if (others.length === 0) return one;
  const candidates = found.slice(0, shownAtMost).join(", ");
  const several = found.length > shownAtMost ? `more than ${shownAtMost}` : found.length;
  throw new HooklineError("run_unknown", { name, where: "the store", several, candidates });
}

function unknown(name: string): never {
  throw new HooklineError("run_unknown", { name, where: "the store" });
}
