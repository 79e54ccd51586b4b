/** Operations that show what ran, and how the line stands. */
import type { Fields } from "../engine/event.ts";
import type { Run, RunFilter, RunStatus } from "../engine/record.ts";
import { integer, object, oneOf, say, text } from "../engine/schema.ts";
import { type Operation, plain } from "./operation.ts";

const statuses = [
  "queued",
  "running",
  "completed",
  "skipped",
  "failed",
  "timeout",
  "cancelled",
  "interrupted",
] as const satisfies readonly RunStatus[];

const usualLimit = 30;
const largestLimit = 1000;

export const runs: Operation<RunFilter> = {
  summary: "What ran, newest first.",
  params: object(
    {},
    {
      hook: text("only runs of the hook with this id"),
      session: text("only runs of this session"),
      event: text("only runs on events of this name"),
      eventId: text("only runs on this one event"),
      status: say(oneOf(...statuses), "only runs that ended so"),
      limit: say(integer(undefined, 1), `at most so many, and never more than ${largestLimit}`, usualLimit),
    },
  ),
  readOnly: true,
  async run({ limit = usualLimit, ...filter }, { store }) {
    const found = await store.runs({ ...filter, limit: Math.min(limit, largestLimit) });
    return found.map(brief);
  },
};

/** A run in a list, on one line. */
export const brief = ({
  id,
  hook,
  eventName,
  eventId,
  session,
  status,
  reason,
  cause,
  startedAt,
  ms,
}: Run): Fields => ({
  id,
  hook,
  event: eventName,
  eventId,
  session: session ?? null,
  status,
  reason: reason ?? null,
  cause,
  startedAt: new Date(startedAt).toISOString(),
  ms: ms ?? null,
});

export const run: Operation<{ id: string }> = {
  summary: "One run whole: its steps, what they gave, and what the hook answered.",
  params: object({ id: text("the run's id") }),
  readOnly: true,
  async run({ id }, { store }) {
    const found = await store.run(id);
    if (!found) throw new Error(`no run is called "${id}"`);
    return plain(found);
  },
};

export const status: Operation<object> = {
  summary: "How the line stands: hooks in force, runs in progress, the last event.",
  params: object({}, {}),
  readOnly: true,
  async run(_params, { store, hooks, event }) {
    const [set, running, events] = await Promise.all([
      hooks(event),
      store.runs({ status: "running", limit: largestLimit }),
      store.events(1),
    ]);
    const last = events[0]?.event;
    return {
      hooks: set.hooks.length,
      set: set.id,
      running: running.length,
      lastEvent: last ? { id: last.id, name: last.name, at: new Date(last.at).toISOString() } : null,
    };
  },
};
