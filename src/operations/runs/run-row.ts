/** A run as each surface lists it: by which words a person asks for it, and what came of it. */
import type { EventName, HookEvent } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Run, RunStatus } from "../../engine/record.ts";
import { oneOf, type Schema } from "../../engine/schema.ts";
import { callOf } from "../call.ts";
import type { RecordStore } from "../record.ts";

/** What its answer did to the event. */
export type RunOutcome = "blocked" | "held" | "asked" | "allowed" | "rewritten" | "failed";
export const runOutcome: Schema<RunOutcome> = oneOf("blocked", "held", "asked", "allowed", "rewritten", "failed");

export interface RunRow {
  id: string;
  hook: string;
  hookName: string;
  /** Its name. */
  event: string;
  eventId: string;
  session: string | null;
  status: RunStatus;
  /** Null: it left the event as it was. */
  outcome: RunOutcome | null;
  /** What the agent was about to do, as a person would name it; null: the record holds the event no more, or it is no call. */
  call: string | null;
  /** Why it answered so, or why it did not run. */
  reason: string | null;
  cause: string;
  startedAt: string;
  ms: number | null;
  /** Where it happened, and who said so; null: the record holds the event no more. */
  cwd: string | null;
  sender: string | null;
}

export const runRow = (run: Run, event: HookEvent | undefined): RunRow => ({
  ...{ id: run.id, hook: run.hook, hookName: run.hookName, event: run.eventName, eventId: run.eventId },
  ...{ session: run.session ?? null, status: run.status, outcome: outcomeOf(run) },
  ...{ call: (event && callOf(event.data)) ?? null, reason: reasonOf(run), cause: run.cause },
  ...{ startedAt: new Date(run.startedAt).toISOString(), ms: run.ms ?? null },
  ...{ cwd: event?.cwd ?? null, sender: event?.sender ?? null },
});

export interface FoundRun {
  run: Run;
  row: RunRow;
}

export async function runRows(runs: readonly Run[], record: Pick<RecordStore, "eventsCalled">): Promise<FoundRun[]> {
  const events = await record.eventsCalled([...new Set(runs.map(({ eventId }) => eventId))]);
  return runs.map((run) => ({ run, row: runRow(run, events.get(run.eventId)) }));
}

/** The first that holds. A guard that failed and therefore blocked has blocked. */
const outcomes: readonly (readonly [RunOutcome, (run: Run) => boolean])[] = [
  ["held", ({ eventName, outcome }) => outcome?.verdict?.is === "deny" && goesOn(eventName)],
  ["blocked", ({ outcome }) => outcome?.verdict?.is === "deny" || outcome?.stop !== undefined],
  ["asked", ({ outcome }) => outcome?.verdict?.is === "ask"],
  ["rewritten", ({ outcome }) => outcome?.updatedInput !== undefined || outcome?.updatedOutput !== undefined],
  ["allowed", ({ outcome }) => outcome?.verdict?.is === "allow"],
  ["failed", ({ status }) => status === "failed" || status === "timeout"],
];

/** A denial of it makes the agent go on, as that of a Stop. */
const goesOn = (event: string): boolean => rowOf(event as EventName).costs?.fields.includes("verdict") === true; // it was one when the run was written down

const outcomeOf = (run: Run): RunOutcome | null => outcomes.find(([, holds]) => holds(run))?.[0] ?? null;

const reasonOf = ({ outcome, reason }: Run): string | null =>
  outcome?.verdict?.reason ?? outcome?.stop?.reason ?? reason ?? null;
