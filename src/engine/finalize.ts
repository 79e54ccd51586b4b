/** From the answers of all hooks to the one outcome: stale answers fall out, the inbox joins, and continuations are counted. */

import { accept } from "./accept.ts";
import { isOfStore, messageOf } from "./error.ts";
import type { Evaluator } from "./evaluate.ts";
import { type Counter, textField } from "./event.ts";
import type { Answer, EventContext } from "./event-context.ts";
import { type Flow, wait } from "./flow.ts";
import { oneLine } from "./one-line.ts";
import { isEmpty, type Message, merge, type Outcome, type Verdict } from "./outcome.ts";
import type { Ports } from "./ports.ts";
import { isRecord } from "./schema.ts";
import { plural } from "./words.ts";

/** Notices of rewake hooks that reach the model per user prompt (R8). */
const noticesPerPrompt = 3;
/** Messages that hooks put into the conversation per user prompt (R8). */
const messagesPerPrompt = 20;

export function* finalize(
  { ports, later }: Pick<Evaluator, "ports" | "later">,
  eventContext: EventContext,
): Flow<Outcome> {
  let outcome: Outcome = {};
  for (const answer of eventContext.answers.values()) {
    const counted = current(answer, eventContext);
    outcome = merge(outcome, counted);
    if (counted !== answer.outcome) later.keep(eventContext, answer.run); // with the note that says why
  }
  const { updatedInput } = eventContext.row.rewrites ?? {};
  const written = updatedInput && eventContext.version > 0 ? eventContext.event.data[updatedInput] : undefined;
  if (isRecord(written)) outcome = { ...outcome, updatedInput: written };
  if (eventContext.event.to?.force) return outcome; // a person reads it: nothing of the session's is spent or handed out
  const joined = takesContext(eventContext, outcome)
    ? yield* addInbox({ ports, later }, eventContext, outcome)
    : { outcome };
  const counted = joined.outcome.messages ? yield* countMessages(ports, eventContext, joined.outcome) : joined.outcome;
  if (joined.heldOpen) return counted; // notices have their own counter
  return continues(eventContext, counted) ? yield* countContinuation({ ports, later }, eventContext, counted) : counted;
}

/** Each message to the model is counted; past the cap the person is notified once, and the model gets nothing more (R8). */
function* countMessages(ports: Ports, eventContext: EventContext, outcome: Outcome): Flow<Outcome> {
  const messages: Message[] = [];
  let lost = 0;
  for (const message of outcome.messages ?? []) {
    const isShown =
      message.to === "person" ||
      (yield* spend(ports, eventContext, { counter: "injected", max: messagesPerPrompt })) !== false; // it is no continuation, so it need not be counted
    if (isShown) messages.push(message);
    else lost += 1;
  }
  if (lost === 0) return outcome;
  const text = `${plural(lost, "a message was", `${lost} messages were`)} not shown to the model: it has had ${messagesPerPrompt} from hooks since the last prompt`;
  return { ...outcome, messages: [...messages, { to: "person", text }] };
}

/** An allow counts only if it was given about the final input. */
export function current({ outcome, version, run }: Answer, eventContext: EventContext): Outcome {
  const kind = outcome.verdict?.is;
  if ((kind !== "allow" && kind !== "defer") || version === eventContext.version) return outcome;
  run.notes.push(`its ${kind} does not count: the input was rewritten after it`);
  const { verdict: _stale, ...rest } = outcome;
  return rest;
}

interface Joined {
  outcome: Outcome;
  /** Waiting notices deny the event, so that the conversation goes on with them. */
  heldOpen?: boolean;
}

const takesContext = ({ event, acceptance, denied }: EventContext, { stop }: Outcome): boolean =>
  event.session !== undefined && acceptance.fields.has("context") && !denied && !stop;

/** What waited for an event that takes context. Notices of rewake hooks hold a Stop open, within their cap (R8, R61). */
function* addInbox(
  { ports, later }: Pick<Evaluator, "ports" | "later">,
  eventContext: EventContext,
  outcome: Outcome,
): Flow<Joined> {
  const { event, acceptance, row } = eventContext;
  const { session } = event;
  const joined: Joined = { outcome };
  if (!session) return joined;
  const holding: string[] = [];
  for (const { outcome: waiting, counter } of yield* wait(ports.store.collect(session))) {
    const words = (waiting.context ?? []).join("\n");
    const spent = counter ? yield* spend(ports, eventContext, { counter, max: noticesPerPrompt }) : true;
    if (spent !== true) {
      const why = spent ? cannotCount(spent) : `it has had ${noticesPerPrompt} notices since the last prompt`;
      const text = `${words}\n(not shown to the model: ${why})`;
      joined.outcome = merge(joined.outcome, accept({ messages: [{ to: "person", text }] }, acceptance, undefined).now);
    } else if (counter && counter === row.holdsOpenFor) holding.push(words);
    else {
      const { now, later: rest } = accept(waiting, acceptance, undefined);
      joined.outcome = merge(joined.outcome, now);
      if (!isEmpty(rest)) later.put(eventContext, () => ports.store.post(session, rest)); // it waits on
    }
  }
  if (holding.length === 0) return joined;
  const verdict: Verdict = { is: "deny", reason: holding.join("\n"), by: "inbox" };
  return { outcome: merge(joined.outcome, { verdict }), heldOpen: true };
}

const cannotCount = ({ uncounted }: { uncounted: string }): string => `that cannot be counted: ${uncounted}`;

/** Whether it may be spent, or why that cannot be counted (SAFETY F10). */
type Spent = boolean | { uncounted: string };

/** @param of whose count it is; absent: the session's */
function* spend(
  { store }: Ports,
  { event: { session } }: EventContext,
  { counter, max, of = session }: { counter: Counter; max: number; of?: string | undefined },
): Flow<Spent> {
  try {
    return of ? yield* wait(store.spend(of, counter, max)) : true;
  } catch (error) {
    if (!isOfStore(error)) throw error;
    return { uncounted: messageOf(error) };
  }
}

/** The main agent counts with its session; every other one by itself, from each of the person's prompts anew (R98). */
function accountOf({ event: { session, agent, turn, data }, row: { costs } }: EventContext): string | undefined {
  const id = agent?.id ?? textField(data, costs?.agent);
  return session === undefined || id === undefined ? session : `${session} agent ${id} prompt ${turn?.prompts ?? 0}`;
}

const continues = ({ row: { costs } }: EventContext, outcome: Outcome): boolean =>
  costs !== undefined && !outcome.stop && costs.fields.some((field) => outcome[field] !== undefined);

/** An answer with which the agent continues is counted; past the cap it becomes a message (R8). */
function* countContinuation(
  { ports, later }: Pick<Evaluator, "ports" | "later">,
  eventContext: EventContext,
  outcome: Outcome,
): Flow<Outcome> {
  const { costs } = eventContext.row;
  if (!costs) return outcome;
  const uncounted = !eventContext.event.session && eventContext.row.isContinuation?.(eventContext.event.data);
  const spent = uncounted ? false : yield* spend(ports, eventContext, { ...costs, of: accountOf(eventContext) });
  if (spent === true) return outcome;
  const { verdict, context, ...rest } = outcome;
  const why = verdict?.reason ?? (context ?? []).join("\n");
  const limit = uncounted
    ? "without a session nothing can count how often"
    : spent
      ? cannotCount(spent)
      : `${costs.max} continuations per prompt were reached`;
  const text = `${oneLine(nameOf(verdict?.by, eventContext) ?? "a hook")} would go on, but ${limit}: ${why}`;
  const capped = uncounted || spent ? limit : `the cap of ${costs.max} ${costs.counter} per prompt was reached`;
  for (const { run, outcome: own } of eventContext.answers.values()) {
    if (!costs.fields.some((field) => own[field] !== undefined)) continue;
    run.notes.push(`${capped}: the turn ends, and the person is told`);
    later.keep(eventContext, run);
  }
  return merge(rest, accept({ messages: [{ to: "person", text }] }, eventContext.acceptance, undefined).now);
}

/** A hook's name, for a person; its id where the hook is not of this event. */
const nameOf = (id: string | undefined, eventContext: EventContext): string | undefined =>
  [...eventContext.answers.keys()].find(({ hook }) => hook.id === id)?.hook.name ?? id;
