/** Callbacks in this process: what embedders register with defineHook, and session hooks (specification 002). */
import type { Fields, HookEvent, MaybePromise } from "../core/event.ts";
import { isThenable } from "../core/flow.ts";
import { didYouMean } from "../core/nearest.ts";
import { misshapen, type Outcome, outcomeFields } from "../core/outcome.ts";
import type { Bound, Handler, StepContext, StepResult } from "../core/ports.ts";
import { isRecord, kindOf, object, text } from "../core/schema.ts";
import { readAnswer } from "../protocols/settings.ts";
import { droppedPermissions, permissionUpdates } from "../protocols/settings-keys.ts";

/** What a callback may answer: nothing, the short words, any outcome field, or Claude Code's own JSON. */
export type Answer =
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a callback that returns nothing has the type void
  | void
  | (Omit<Outcome, "context" | "verdict" | "messages"> & {
      deny?: string | true;
      ask?: string | true;
      allow?: string | true;
      context?: string | string[];
      /** Shown to the person. */
      message?: string;
    });
export interface Call {
  /** Aborts at the hook's limit. */
  readonly signal: AbortSignal;
}

/** An answer in Claude Code's own JSON. */
export interface SettingsAnswer {
  hookSpecificOutput?: Fields;
  decision?: "block" | "approve" | "deny" | "ask";
  reason?: string;
  continue?: boolean;
  stopReason?: string;
  systemMessage?: string;
  suppressOutput?: boolean;
  terminalSequence?: string;
}
export type HookFunction = (event: HookEvent, call: Call) => MaybePromise<Answer | SettingsAnswer>;

/** A callback in its place. It is called from there, so that its removal reaches the sets that still name it. */
export type Callback = Bound & { call: HookFunction };

export const callbackOf = (run: HookFunction): Callback => ({ call: run, read });

/** From now on each call of it is a failed step. */
export function remove(callback: Callback, id: string): void {
  callback.call = () => removed;
  callback.read = () => ({
    ok: false,
    output: {},
    failure: "launch",
    reason: `the callback ${id} has been removed`,
  });
}
const removed = {}; // any answer that is not undefined: it is read

export function functionHandler(functions: ReadonlyMap<string, Callback>): Handler<{ id: string }> {
  const bind = ({ id }: { id: string }): Callback => {
    const callback = functions.get(id);
    if (callback) return callback;
    const missing = callbackOf(() => {});
    remove(missing, id);
    return missing;
  };
  return {
    params: object({ id: text("the callback's id") }),
    bind,
    run(params, context) {
      const { call, read } = bind(params);
      const answer = call(context.event, context);
      return answer === undefined ? nothing : read(answer, context);
    },
  };
}

const nothing: StepResult = { ok: true, output: {} };
const settingsKeys = ["hookSpecificOutput", "decision", "continue", "systemMessage", "stopReason"];

const read: Bound["read"] = (answer, context) =>
  isThenable(answer) ? Promise.resolve(answer).then((value) => resultOf(value, context)) : resultOf(answer, context);

function resultOf(answer: unknown, { event, hook }: StepContext): StepResult {
  if (answer === undefined || answer === null) return nothing;
  if (!isRecord(answer))
    return {
      ok: false,
      output: {},
      failure: "output",
      reason: `the callback answered ${typeof answer}, not an object`,
    };
  if (settingsKeys.some((key) => key in answer)) return readAnswer(JSON.stringify(answer), event, hook.id);
  const fault = faultIn(answer);
  if (fault) return unreadable(fault);
  const outcome = outcomeOf(answer, hook.id);
  const wrong = misshapen(outcome);
  if (wrong) return unreadable(`${wrong} with ${kindOf(outcome[wrong])}`);
  const { permissions } = outcome;
  if (!permissions) return { ok: true, output: {}, outcome };
  const kept = permissionUpdates(permissions);
  const notes = kept.length < permissions.length ? { notes: [droppedPermissions] } : {};
  return { ok: true, output: {}, outcome: { ...outcome, permissions: kept }, ...notes };
}

const unreadable = (what: string): StepResult => ({
  ok: false,
  output: {},
  failure: "output",
  reason: `the callback answered ${what}`,
});

const words = ["deny", "ask", "allow"] as const;
const answerKeys: readonly string[] = [...words, ...outcomeFields.filter((field) => field !== "verdict"), "message"];

/** What nothing reads may have been meant as a verdict: the step fails, and a guard's failure blocks. */
function faultIn(answer: Record<string, unknown>): string | undefined {
  const stray = Object.keys(answer).find((key) => !answerKeys.includes(key) && answer[key] !== undefined);
  if (stray !== undefined)
    return `"${stray}", which nothing reads (${didYouMean(stray, answerKeys) ?? `known: ${answerKeys.join(", ")}`})`;
  const word = words.find(
    (one) => !["undefined", "string"].includes(typeof answer[one]) && typeof answer[one] !== "boolean",
  );
  if (word !== undefined) return `${word} with ${kindOf(answer[word])}; write true, or the reason`;
  const { message } = answer;
  return message === undefined || typeof message === "string" ? undefined : `message with ${kindOf(message)}`;
}

function outcomeOf(answer: Record<string, unknown>, by: string): Outcome {
  const outcome: Outcome = {};
  const given = outcomeFields.filter((field) => field in answer && field !== "verdict" && field !== "context");
  Object.assign(outcome, Object.fromEntries(given.map((field) => [field, answer[field]])));
  const word = words.find((one) => answer[one] === true || typeof answer[one] === "string");
  if (word) outcome.verdict = { is: word, by, ...(typeof answer[word] === "string" ? { reason: answer[word] } : {}) };
  const { context, message } = answer;
  if (context !== undefined) outcome.context = Array.isArray(context) ? context.map(String) : [String(context)];
  if (typeof message === "string") outcome.messages = [...(outcome.messages ?? []), { to: "person", text: message }];
  return outcome;
}
