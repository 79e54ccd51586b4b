/** The run or the event that a person names: by its id, or by the beginning of it that no other has. */
import { HooklineError } from "../../../engine/error.ts";
import type { Run, StoredEvent } from "../../../engine/record.ts";
import type { OpenedStore } from "../store.ts";

/** As much of an id as tells it from others (runtime/system.ts). */
export const shortId = (id: string): string => (/^[0-9a-z]{26}$/.test(id) ? id.slice(0, 13) : id);

type Reading = Pick<OpenedStore, "idsFrom" | "run" | "event">;

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
