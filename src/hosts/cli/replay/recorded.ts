/** The recorded events that a person names by a run, an event, a session or a day, oldest first. */
import { HooklineError } from "../../../engine/error.ts";
import type { Instant } from "../../../engine/event.ts";
import { nearest } from "../../../engine/nearest.ts";
import type { Store, StoredEvent } from "../../../engine/record.ts";
import { eventIfNamed } from "../../../operations/record.ts";
import type { OpenedStore } from "../store.ts";

export interface Named {
  events: readonly StoredEvent[];
  /** Whether a project is chosen by it: a day has the events of all. */
  isDay: boolean;
}

type Events = Pick<OpenedStore, "idsFrom" | "events" | "event" | "run">;

/** @throws HooklineError usage, with what may have been meant */
export async function namedEvents(store: Events, name: string, now: Instant): Promise<Named> {
  const day = dayOf(name, now);
  if (day) {
    const events = (await newestEvents(store, day.from)).filter(({ event: { at } }) => at >= day.from && at < day.to);
    if (events.length > 0) return { events: events.reverse(), isDay: true };
    throw unknown(`the store holds no event of ${name}`, "hookline runs lists what there is");
  }
  const one = await eventIfNamed(store, name);
  if (one) return { events: [one.stored], isDay: false };
  const all = await newestEvents(store, 0);
  const [newest] = all;
  if (name === "last" && newest) return { events: [newest], isDay: false };
  const sessions = [...new Set(all.flatMap(({ event }) => event.session ?? []))];
  const meant = sessions.includes(name) ? [name] : sessions.filter((session) => session.startsWith(name));
  const [session, another] = meant;
  if (session !== undefined && another === undefined)
    return { events: all.filter(({ event }) => event.session === session).reverse(), isDay: false };
  if (session !== undefined)
    throw unknown(`${meant.length} sessions begin with "${name}"`, `write more of it: ${meant.slice(0, 3).join(", ")}`);
  const near = nearest(name, ["today", "last", ...sessions]);
  const [latest] = sessions;
  throw unknown(
    `no run, event, session or day is called "${name}"`,
    near !== undefined
      ? `did you mean ${near}?`
      : `a day is today or 2026-11-24; ${latest === undefined ? "the store holds no session yet" : `the newest session is ${latest}`}; hookline runs lists runs`,
  );
}

const unknown = (what: string, advice: string): HooklineError =>
  new HooklineError("usage", { what, where: "the store", advice });

/** Midnights of this machine's clock. */
function dayOf(name: string, now: Instant): { from: Instant; to: Instant } | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(name) ?? [];
  const at = name === "today" ? new Date(now) : new Date(Number(year), Number(month) - 1, Number(date));
  const isSame = name === "today" || (at.getMonth() === Number(month) - 1 && at.getDate() === Number(date));
  if (Number.isNaN(at.getTime()) || !isSame) return undefined;
  const midnight = (days: number): Instant => new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime();
  return { from: midnight(0), to: midnight(1) };
}

const firstLook = 1_000;

/** Newest first, as many as it takes to reach back to the moment. */
async function newestEvents(store: Pick<Store, "events">, from: Instant): Promise<StoredEvent[]> {
  for (let limit = firstLook; ; limit *= 8) {
    const events = await store.events(limit);
    const oldest = events.at(-1);
    if (events.length < limit || (oldest && oldest.event.at < from)) return events;
  }
}
