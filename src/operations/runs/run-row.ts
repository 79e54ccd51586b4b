/** Makes the row of a run: by which words a person asks for it, and what came of it. */
import type { EventName, HookEvent } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { shortened } from "../../engine/one-line.ts";
import type { Run } from "../../engine/record.ts";
import { callOf } from "../call.ts";
import type { RecordStore } from "../record.ts";
import type { RunOutcome, RunReceipt, RunRow } from "./listed-run.ts";
import { resultOf } from "./run-words.ts";

/** What its answer did to the event. */
export const runOutcomes: readonly RunOutcome[] = ["blocked", "held", "asked", "allowed", "rewritten", "failed"];

export const runRow = (run: Run, event: HookEvent | undefined): RunRow => ({
  ...{ id: run.id, hook: run.hook, hookName: run.hookName, event: run.eventName, eventId: run.eventId },
  ...{ session: run.session ?? null, status: run.status, outcome: outcomeOf(run), receipt: receiptOf(run) },
  ...{ call: (event && callOf(event.data)) ?? null, reason: reasonOf(run) },
  ...{ result: shortened(resultOf(run), longestResult), cause: run.cause },
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

/** What a program said has all its room in `runs show`. */
const longestResult = 400;

const receiptOf = ({ receipt }: Run): RunReceipt | null =>
  receipt === undefined || receipt.is === "open" ? null : receipt.is;

const reasonOf = ({ outcome, reason }: Run): string | null =>
  outcome?.verdict?.reason ?? outcome?.stop?.reason ?? reason ?? null;
