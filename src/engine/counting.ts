/**
 * What of a hook's answer counts: nothing of one that only reports, no refusal that a person lifted for this call, and a question
 * only where a person can answer it.
 */
import type { Acceptance } from "./accept.ts";
import { allowedOnce } from "./admit.ts";
import { isOfStore } from "./error.ts";
import { textField } from "./event.ts";
import type { EventContext } from "./event-context.ts";
import { inputOfCall } from "./events.ts";
import { type Flow, wait } from "./flow.ts";
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
  const code = yield* codeOf(plan, eventContext, ports);
  if (code !== undefined && (yield* isLifted(code, eventContext, ports))) {
    const { verdict: _lifted, ...others } = outcome;
    run.outcome = others;
    withhold(run, { because: "allowed once", outcome: { verdict } });
    return { outcome: others };
  }
  const answered = whereNobodyAnswers(verdict, { plan, eventContext, ports });
  if (answered) run.notes.push(answered.note);
  const counts = answered ? withVerdict(outcome, answered.verdict) : outcome;
  const isRefused = counts.verdict?.is === "deny" || counts.verdict?.is === "ask";
  const way = code !== undefined && isRefused ? `${howToAllow} ${code}` : undefined;
  if (way !== undefined) run.notes.push(way);
  return {
    outcome: counts,
    ...(way !== undefined && eventContext.acceptance.fields.has("messages") && { told: { to: "person", text: way } }),
    ...(answered && isRefused && { added: denial(code) }),
  };
}

/** What an earlier round withheld was about another input. */
function forget(run: Run, withheld: Withheld): void {
  delete run.withheld;
  if (run.reason === wouldHave(withheld)) delete run.reason;
}

/** Stands before a code, for people and for the command that looks for a code's refusal. */
export const howToAllow = "to allow this call once: hookline allow-once";

/** Only a call that has not happened yet can be allowed, and no person stands above the managed layer. */
function* codeOf(
  { hook, handlers }: Plan,
  { event, row }: EventContext,
  { allowOnceCode }: Ports,
): Flow<string | undefined> {
  const field = inputOfCall(row);
  const isLiftable = hook.origin.layer !== "managed" && hook.steps.some(({ uses }) => handlers.get(uses)?.isLiftable);
  const tool = textField(event.data, row.matchOn);
  const input = field === undefined ? undefined : event.data[field];
  if (!allowOnceCode || !isLiftable || event.to || tool === undefined || !isRecord(input)) return undefined;
  const { session, cwd } = event;
  return yield* wait(allowOnceCode({ hook: hook.id, session, cwd, tool, input }));
}

/** Used up by one use: of several processes that are asked at once, one gets it. What cannot be used up is not given. */
function* isLifted(code: string, { event, paused }: EventContext, { store, now }: Ports): Flow<boolean> {
  const key = allowedOnce(code, event.name);
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

/** Undefined: the question is asked. What is above the user's layer is not loosened by the user's settings. */
function whereNobodyAnswers(
  verdict: Verdict,
  { plan: { hook }, eventContext, ports }: { plan: Plan; eventContext: EventContext; ports: Ports },
): Answered | undefined {
  const { event, acceptance, caller } = eventContext;
  if (verdict.is !== "ask" || !canAsk(acceptance)) return undefined;
  const wanted = ports.unanswered?.(event, caller.environment);
  return wanted && answers[hook.origin.layer === "managed" ? "deny" : wanted](verdict);
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

function denial(code: string | undefined): string {
  const once = code === undefined ? "" : `once with \`hookline allow-once ${code}\` at a terminal, or `;
  return `${nobody[0]?.toUpperCase()}${nobody.slice(1)}: a person can allow it ${once}with an exception in the hook.`;
}

function withVerdict({ verdict: _asked, ...others }: Outcome, verdict: Verdict | undefined): Outcome {
  return verdict ? { ...others, verdict } : others;
}
