/**
 * What of a hook's answer counts: nothing of one that only reports, no refusal that a person lifted for this call, and a question
 * only where a person can answer it.
 */
import type { Acceptance } from "./accept.ts";
import { allowedOnce, refusalKept, refusalsIn, refusedJust } from "./admit.ts";
import { isOfStore } from "./error.ts";
import { textField } from "./event.ts";
import type { EventContext } from "./event-context.ts";
import { inputOfCall } from "./events.ts";
import { type Flow, wait } from "./flow.ts";
import { isBuiltIn } from "./hook.ts";
import { isEmpty, type Message, type Outcome, type Verdict, type VerdictKind } from "./outcome.ts";
import type { Plan } from "./plan.ts";
import type { Ports, UnansweredAsk } from "./ports.ts";
import type { Run, Withheld } from "./record.ts";
import { isRecord } from "./schema.ts";

/** An answer as it counts, and what Hookline itself tells the person beside it. */
export interface Counted {
  outcome: Outcome;
  told?: Message;
  /** Stands behind the reason of its verdict, and is no word of the hook's. */
  added?: string;
}

/** Nothing that a hook which only reports has answered counts: the run says what it was. Of one that nobody waits for, too. */
export function onlyReport(run: Run): void {
  const { outcome = {} } = run;
  run.outcome = {};
  if (!isEmpty(outcome)) withhold(run, { because: "report", outcome });
}

function withhold(run: Run, withheld: Withheld): void {
  run.withheld = withheld;
  run.reason ??= wouldHave(withheld);
}

/** What an answer without effect would have done, for people. */
export function wouldHave({ because, outcome }: Withheld): string {
  const { verdict, ...others } = outcome;
  const would = verdict
    ? `would have ${done[verdict.is]}: ${verdict.reason ?? "(no reason)"}`
    : `would have answered ${Object.keys(others).join(", ")}`;
  return because === "report" ? would : `allowed once by a person; it ${would}`;
}
const done: Readonly<Record<VerdictKind, string>> = {
  deny: "denied",
  ask: "asked",
  allow: "allowed",
  defer: "deferred",
};

/** Also sets what the run says of it. */
export function* counted(plan: Plan, eventContext: EventContext, run: Run, ports: Ports): Flow<Counted> {
  const { outcome = {} } = run;
  if (run.withheld) forget(run, run.withheld);
  if (plan.hook.report) {
    onlyReport(run);
    return { outcome: {} };
  }
  const { verdict } = outcome;
  if (!verdict || (verdict.is !== "deny" && verdict.is !== "ask")) return { outcome };
  const call = yield* refusedCall(plan, eventContext, ports);
  if (call !== undefined && (yield* isLifted(call, eventContext, ports))) {
    const { verdict: _lifted, ...others } = outcome;
    run.outcome = others;
    withhold(run, { because: "allowed once", outcome: { verdict } });
    yield* forgetRefusals(call, eventContext, ports);
    return { outcome: others };
  }
  const answered = whereNobodyAnswers(verdict, { plan, eventContext, ports });
  if (answered) run.notes.push(answered.note);
  const counts = answered ? withVerdict(outcome, answered.verdict) : outcome;
  const isRefused = counts.verdict?.is === "deny" || counts.verdict?.is === "ask";
  const isKept =
    isRefused &&
    ports.nameOfRefusal &&
    isOfCall(eventContext) &&
    (yield* keepRefusal(call, run, { eventContext, ports }));
  const isLiftable = call !== undefined && isKept === true;
  if (isLiftable) run.notes.push(howToAllow);
  const added = [
    ...(answered && isRefused ? [denial(isLiftable)] : []),
    ...(isLiftable && counts.verdict?.is === "deny" && isReadByModel(eventContext) ? [howToAppeal] : []),
  ];
  return {
    outcome: counts,
    ...(isLiftable && eventContext.acceptance.fields.has("messages") && { told: { to: "person", text: howToAllow } }),
    ...(added.length > 0 && { added: added.join("\n") }),
  };
}

/** An agent says what it takes of an answer; who tries an event does not. */
const isReadByModel = ({ event }: EventContext): boolean => event.accepts !== undefined && event.readBy !== "person";

/** What an earlier round withheld was about another input. */
function forget(run: Run, withheld: Withheld): void {
  delete run.withheld;
  if (run.reason === wouldHave(withheld)) delete run.reason;
}

/** For people. It is no key: what a model reads lifts nothing (R92). */
export const howToAllow = "to allow this call once, a person types in a terminal: hookline allow-once";

/** For a model: it may complain, which lifts nothing. */
export const howToAppeal = 'If this refusal is wrong, say why: hookline appeal "WHY"';

/**
 * The name of this refusal of this call. Only a call that has not happened yet can be allowed, and no person stands above the
 * managed layer.
 */
function* refusedCall(
  { hook, handlers }: Plan,
  { event, row }: EventContext,
  { nameOfRefusal }: Ports,
): Flow<string | undefined> {
  const field = inputOfCall(row);
  const isLiftable = hook.origin.layer !== "managed" && hook.steps.some(({ uses }) => handlers.get(uses)?.isLiftable);
  const tool = textField(event.data, row.matchOn);
  const input = field === undefined ? undefined : event.data[field];
  if (!nameOfRefusal || !isLiftable || event.to || tool === undefined || !isRecord(input)) return undefined;
  const { session, cwd } = event;
  return yield* wait(nameOfRefusal({ hook: hook.id, session, cwd, tool, input }));
}

const isOfCall = ({ event, row }: EventContext): boolean => inputOfCall(row) !== undefined && !event.to;

/** A person has let this call happen: what it does is refused no more. */
function* forgetRefusals(call: string, { event, paused }: EventContext, { store, now, projectOf }: Ports): Flow<void> {
  const root = projectOf?.(event) ?? event.cwd;
  for (const one of refusalsIn(root, paused, now())) if (one.call === call) yield* wait(store.resume(refusedJust(one)));
}

/** For the list at a person's terminal, and to know what is done another way. @returns whether it is kept: a store that writes nothing offers nothing */
function* keepRefusal(
  call: string | undefined,
  run: Run,
  { eventContext: { event }, ports: { store, now, projectOf } }: { eventContext: EventContext; ports: Ports },
): Flow<boolean> {
  const at = now();
  const root = projectOf?.(event) ?? event.cwd;
  try {
    yield* wait(store.pause(refusedJust({ root, call: call ?? "", run: run.id }), at, at + refusalKept * 1000));
    return true;
  } catch (error) {
    if (isOfStore(error)) return false;
    throw error;
  }
}

/** Used up by one use: of several processes that are asked at once, one gets it. What cannot be used up is not given. */
function* isLifted(call: string, { event, paused }: EventContext, { store, now }: Ports): Flow<boolean> {
  const key = allowedOnce(call, event.name);
  if ((paused.get(key) ?? 0) <= now()) return false;
  try {
    return yield* wait(store.resume(key));
  } catch (error) {
    if (isOfStore(error)) return false;
    throw error;
  }
}

interface Answered {
  verdict: Verdict | undefined;
  note: string;
}

/** Undefined: the question is asked. What is above the user's layer is not loosened by the user's settings, and what loosens Hookline needs a person (R92). */
function whereNobodyAnswers(
  verdict: Verdict,
  { plan: { hook }, eventContext, ports }: { plan: Plan; eventContext: EventContext; ports: Ports },
): Answered | undefined {
  const { event, acceptance, caller } = eventContext;
  if (verdict.is !== "ask" || !canAsk(acceptance)) return undefined;
  const wanted = ports.unanswered?.(event, caller.environment);
  return wanted && answers[hook.origin.layer === "managed" || isBuiltIn(hook) ? "deny" : wanted](verdict);
}

const canAsk = ({ fields, verdicts }: Acceptance): boolean => fields.has("verdict") && verdicts.includes("ask");

const nobody = "no person can be asked in this session";
const answers: { readonly [A in UnansweredAsk]: (verdict: Verdict) => Answered } = {
  deny: (verdict) => ({ verdict: { ...verdict, is: "deny" }, note: `ask became deny: ${nobody}` }),
  allow: (verdict) => ({
    verdict: { ...verdict, is: "allow" },
    note: `ask became allow: ${nobody}, and headless_ask says so`,
  }),
  pass: () => ({ verdict: undefined, note: `ask was dropped: ${nobody}, and headless_ask says so` }),
};

function denial(isLiftable: boolean): string {
  const once = isLiftable ? "once with `hookline allow-once` at a terminal, or " : "";
  return `${nobody[0]?.toUpperCase()}${nobody.slice(1)}: a person can allow it ${once}with an exception in the hook.`;
}

function withVerdict({ verdict: _asked, ...others }: Outcome, verdict: Verdict | undefined): Outcome {
  return verdict ? { ...others, verdict } : others;
}
