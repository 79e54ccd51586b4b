/** The page of insight: what happened in the last days, counted. */
import { integer, object, say } from "../../../engine/schema.ts";
import { type Operation, plain } from "../../../operations/operation.ts";
import { eventsSince, eventTimings, runsSince, timingOf } from "../../../storage/sqlite/statistics.ts";
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
    const runs = runsSince(store.database, since);
    const shown: Insight = {
      ...{ since, until, step },
      events: inColumns(events, { since, step }),
      blocked: inColumns(events.filter(isDenied), { since, step }),
      agents: [...Map.groupBy(events, ({ sender }) => sender)].map(([name, own]) => ({
        ...{ name, ...verdictsOf(own), p95: timingOf(own.flatMap(({ ms }) => ms ?? []))?.p95 ?? null },
      })),
      days: daysOf(events, runs),
      hooks: [...Map.groupBy(runs, ({ hook }) => hook)]
        .map(([hook, own]) => ({ hook, name: own.at(-1)?.name ?? hook, ...totalOf(own) }))
        .toSorted((one, other) => other.runs - one.runs),
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

type Runs = ReturnType<typeof runsSince>;

const totalOf = (rows: Runs): Pick<Runs[number], "runs" | "failures" | "ms" | "tokens"> => ({
  runs: sum(rows.map(({ runs }) => runs)),
  failures: sum(rows.map(({ failures }) => failures)),
  ms: sum(rows.map(({ ms }) => ms)),
  tokens: sum(rows.map(({ tokens }) => tokens)),
});
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The newest first. */
function daysOf(events: readonly Counted[], runs: Runs): Insight["days"] {
  const [eventsOf, runsOf] = [Map.groupBy(events, ({ at }) => dayOf(at)), Map.groupBy(runs, ({ day }) => day)];
  const names = [...new Set([...eventsOf.keys(), ...runsOf.keys()])].toSorted().reverse();
  return names.map((name) => {
    const { ms: _ms, ...ofRuns } = totalOf(runsOf.get(name) ?? []);
    return { name, ...verdictsOf(eventsOf.get(name) ?? []), ...ofRuns };
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
