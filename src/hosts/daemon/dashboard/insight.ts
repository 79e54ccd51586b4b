/** The page of insight: what happened in the last days, counted. */
import { integer, object, say } from "../../../engine/schema.ts";
import { type Operation, plain } from "../../../operations/operation.ts";
import { eventsSince, eventTimings, hooksSince, runsByDay, timingOf } from "../../../storage/sqlite/queries.ts";
import type { Daemon } from "../daemon.ts";
import type { Insight } from "./shown.ts";

const daysAtMost = 30;
const day = 86_400_000;

export const insightPage = ({ store }: Pick<Daemon, "store">): Operation<{ days?: number }> => ({
  summary: "Counts events, refusals, failures and tokens of the last days, and how long decisions took.",
  params: object({}, { days: say(integer(undefined, 1), "how many days until now", 1) }),
  readOnly: true,
  run({ days: wanted = 1 }, asked) {
    const until = asked.now();
    const since = until - Math.min(wanted, daysAtMost) * day;
    const step = (until - since) / columns;
    const events = eventsSince(store.database, since);
    const shown: Insight = {
      ...{ since, until, step },
      events: inColumns(events, { since, step }),
      blocked: inColumns(events.filter(isDenied), { since, step }),
      agents: [...Map.groupBy(events, ({ sender }) => sender)].map(([name, own]) => ({
        ...{ name, ...verdictsOf(own), p95: timingOf(own.flatMap(({ ms }) => ms ?? []))?.p95 ?? null },
      })),
      days: daysOf(events, runsByDay(store.database, since)),
      hooks: hooksSince(store.database, since),
      decisions: eventTimings(store.database, since),
    };
    return plain(shown);
  },
});

/** Of a chart. */
const columns = 96;
const isDenied = ({ verdict }: { verdict: string | null }): boolean => verdict === "deny";

type Counted = ReturnType<typeof eventsSince>[number];

const verdictsOf = (events: readonly Counted[]): { events: number; blocked: number; asked: number } => ({
  events: events.length,
  blocked: events.filter(isDenied).length,
  asked: events.filter(({ verdict }) => verdict === "ask").length,
});

/** The newest first. */
function daysOf(events: readonly Counted[], runs: ReturnType<typeof runsByDay>): Insight["days"] {
  const byDay = Map.groupBy(events, ({ at }) => dayOf(at));
  const all = new Set([...byDay.keys(), ...runs.map(({ day }) => day)]);
  return [...all]
    .toSorted()
    .reverse()
    .map((name) => {
      const { runs: count = 0, failures = 0, tokens = 0 } = runs.find(({ day }) => day === name) ?? {};
      return { ...{ name, ...verdictsOf(byDay.get(name) ?? []) }, runs: count, failures, tokens };
    });
}

/** As SQLite writes it: 2026-01-31. */
function dayOf(at: number): string {
  const date = new Date(at);
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

function inColumns(events: readonly { at: number }[], { since, step }: { since: number; step: number }): number[] {
  const counts = new Array<number>(columns).fill(0);
  for (const { at } of events) {
    const column = Math.min(columns - 1, Math.max(0, Math.floor((at - since) / step)));
    counts[column] = (counts[column] ?? 0) + 1;
  }
  return counts;
}
