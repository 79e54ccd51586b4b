/** The page of insight: what happened in the last days, counted. */
import { integer, object, say } from "../../../engine/schema.ts";
import { type Operation, plain } from "../../../operations/operation.ts";
import { eventsSince, eventTimings, hooksSince } from "../../../storage/sqlite/queries.ts";
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
        ...{ name, events: own.length, blocked: own.filter(isDenied).length },
      })),
      hooks: hooksSince(store.database, since),
      decisions: eventTimings(store.database, since),
    };
    return plain(shown);
  },
});

/** Of a chart. */
const columns = 96;
const isDenied = ({ verdict }: { verdict: string | null }): boolean => verdict === "deny";

function inColumns(events: readonly { at: number }[], { since, step }: { since: number; step: number }): number[] {
  const counts = new Array<number>(columns).fill(0);
  for (const { at } of events) {
    const column = Math.min(columns - 1, Math.max(0, Math.floor((at - since) / step)));
    counts[column] = (counts[column] ?? 0) + 1;
  }
  return counts;
}
