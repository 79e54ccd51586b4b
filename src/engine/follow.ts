/** Following calls from their answer to what the agent reports of them, with everything that is told where it has not obeyed (R105). */
import { type Fields, type HookEvent, present, type SessionId } from "./event.ts";
import type { EventContext } from "./event-context.ts";
import { type Flow, wait } from "./flow.ts";
import { oneLine } from "./one-line.ts";
import type { Outcome } from "./outcome.ts";
import type { Caller, Ports } from "./ports.ts";
import {
  type CallReports,
  type Followed,
  type Following,
  type Heard,
  heardIn,
  passedIn,
  receiptOf,
} from "./receipt.ts";
import { isRecord } from "./schema.ts";

export interface Telling {
  ports: Ports;
  /** Sends an event of ours; nothing waits for it. */
  send(event: HookEvent): void;
}

const reportsOf = (event: HookEvent, ports: Ports): CallReports | undefined =>
  event.session === undefined || event.to ? undefined : ports.reports?.(event);

const isHeadless =
  (event: HookEvent, { environment }: Caller, ports: Ports) =>
  (): boolean =>
    ports.unanswered?.(event, environment) !== undefined;

/** Before the hooks are asked, so that the person hears of it with this event. */
export function* hearEvent({ event, caller }: EventContext, telling: Telling): Flow<void> {
  const { ports } = telling;
  const reports = reportsOf(event, ports);
  if (!reports) return;
  for (const heard of heardIn(event, reports, isHeadless(event, caller, ports)))
    yield* hear(event.session, heard, telling);
}

/** What an event says of the calls of its session, or what else does. */
export function* hear(session: SessionId | undefined, heard: Heard, telling: Telling): Flow<Followed[]> {
  if (session === undefined) return [];
  const changed = yield* wait(telling.ports.store.heard(session, heard));
  for (const one of changed) if (one.receipt.is === "disobeyed") yield* tell(one, session, telling);
  return changed;
}

/** Writes the answer, and what is to be followed of it. */
export function* answer(
  { original, event, caller, hasReceipts }: EventContext,
  { outcome, ms }: { outcome: Outcome; ms: number },
  telling: Telling,
): Flow<void> {
  const { ports } = telling;
  const following = followingOf(original, outcome, caller, ports);
  const isPassed = hasReceipts && following?.receipt.to !== "deny" && reportsOf(original, ports) !== undefined;
  if (isPassed) for (const heard of passedIn(original)) yield* hear(original.session, heard, telling);
  const receipt = yield* wait(ports.store.answered(event.id, outcome, ms, following));
  if (receipt?.is === "disobeyed" && event.session !== undefined)
    yield* tell({ event: event.id, receipt }, event.session, telling);
}

function followingOf(event: HookEvent, outcome: Outcome, caller: Caller, ports: Ports): Following | undefined {
  if (!outcome.verdict && !outcome.updatedInput) return undefined;
  const reports = reportsOf(event, ports);
  const headless = isHeadless(event, caller, ports);
  const { session } = event;
  const receipt = reports && receiptOf(event, outcome, reports, headless);
  return receipt && session !== undefined
    ? { session, receipt, hears: (later) => heardIn(later, reports, headless) }
    : undefined;
}

function* tell({ event: id, receipt }: Followed, session: string, { ports, send }: Telling): Flow<void> {
  const stored = yield* wait(ports.store.event(id));
  if (!stored) return;
  const { event, outcome } = stored;
  const { verdict } = outcome ?? {};
  const input: Fields = isRecord(event.data.tool_input) ? (event.data.tool_input as Fields) : {}; // payloads are JSON
  const subject = Object.values(input).find((value) => typeof value === "string") ?? "";
  const call = oneLine(`${receipt.tool}: ${subject}`, longest);
  const text = `Hookline: the agent did not obey: ${receipt.because}: ${call}. To see it, run \`hookline why ${id}\``;
  ports.observe?.({ is: "receipt", event, receipt });
  yield* wait(ports.store.post(session, { messages: [{ to: "person", text }] }));
  send({
    ...{ id: ports.id(), name: "guard.disobeyed", at: ports.now(), cwd: event.cwd, sender: "hookline" },
    data: present({
      ...{ event_id: id, session_id: session, agent: event.sender, verdict: receipt.to, because: receipt.because },
      ...{ hook: verdict?.by, reason: verdict?.reason, tool_name: receipt.tool, tool_input: input },
    }) as Fields, // those that are there are JSON
  });
}
const longest = 200;
