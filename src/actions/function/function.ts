/** Callbacks in this process: what embedders register with defineHook, and session hooks (specification 002). */

import type { Fields, HookEvent, MaybePromise } from "../../engine/event.ts";
import { isThenable } from "../../engine/flow.ts";
import type { Hook } from "../../engine/hook.ts";
import { meantOrKnown } from "../../engine/nearest.ts";
import { merge, misshapen, type Outcome, outcomeFields } from "../../engine/outcome.ts";
import type { Bound, Handler, StepContext, StepResult } from "../../engine/ports.ts";
import { isRecord, kindOf, object, text } from "../../engine/schema.ts";
import { readAnswer } from "../command/protocols/settings.ts";
import { droppedPermissions, permissionUpdates } from "../command/protocols/settings-keys.ts";
import { failed } from "../step.ts";

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
    } & { [Field in RepositoryField]?: unknown });
export interface Call {
  /** Aborts at the hook's limit. */
  readonly signal: AbortSignal;
}
/** What functions are given on the events of specification 001: the context that its scripts read, and the event. */
export type RepositoryEvent = HookEvent & {
  event_type: string;
  session_id: string;
  timestamp: string;
  repository_root: string;
  stage?: "understand" | "plan" | "act" | "review";
  /** Those of its event, such as user_message, ability_id and changed_files, and whatever else the payload holds. */
  [field: string]: unknown;
};

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
export type Callback = Bound;

/** @param on the events as the hook's author wrote them */
export const callbackOf = (run: HookFunction, on: string | readonly string[] = []): Callback => ({
  call: [on].flat().some((name) => repositoryEvents.has(name))
    ? async (event, context) => run(await asRepositoryEvent(event, context.hook), context)
    : run,
  read,
});

/** The events of specification 001, by its own names. */
const repositoryEvents: ReadonlySet<string> = new Set([
  "UserPromptSubmit",
  "PreAbilityCall",
  "PostAbilityCall",
  "SessionStart",
  "SessionEnd",
  "SessionStop",
]);

/** The event with the context of specification 001 beside its own fields. Few hooks need it, so it is loaded when one runs. */
export async function asRepositoryEvent(event: HookEvent, hook: Hook): Promise<RepositoryEvent> {
  const [{ contextOf }, { writtenName }] = await Promise.all([
    import("../command/protocols/registry-context.ts"),
    import("../command/protocols/endings.ts"),
  ]);
  return { ...contextOf(event, writtenName(hook, event.name), hook), ...event } as RepositoryEvent; // contextOf gives the base fields
}

/** From now on each call of it is a failed step. */
export function remove(callback: Callback, id: string): void {
  callback.call = () => removed;
  callback.read = () => failed("launch", `the callback ${id} has been removed`);
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
const settingsKeys = [
  "hookSpecificOutput",
  "decision",
  "continue",
  "systemMessage",
  "stopReason",
  "permissionDecision",
  "permission",
];

const read: Bound["read"] = (answer, context) =>
  isThenable(answer) ? Promise.resolve(answer).then((value) => resultOf(value, context)) : resultOf(answer, context);

/** The names of specification 001's results. */
type RepositoryField = (typeof repositoryNames)[number];
const repositoryNames = [
  "logs",
  "messages_to_user",
  "suggested_abilities",
  "suggested_documents",
  "new_intent",
  "follow_up_actions",
  "usage_recorded",
  "error",
  "block_execution",
] as const;
const repositoryFields: ReadonlySet<string> = new Set(repositoryNames);

function resultOf(answer: unknown, context: StepContext): MaybePromise<StepResult> {
  if (!isRecord(answer) || settingsKeys.some((key) => key in answer)) return ownResultOf(answer, context);
  const own = Object.entries(answer);
  const repository = own.filter(([field, value]) => repositoryFields.has(field) && value !== undefined);
  if (repository.length === 0) return ownResultOf(answer, context);
  const rest = own.filter(([field]) => !repositoryFields.has(field));
  return repositoryResultOf(Object.fromEntries(repository) as Fields, Object.fromEntries(rest) as Fields, context); // functions answer JSON
}

/** What an answer says in the words of specification 001, with what it says in ours. */
async function repositoryResultOf(said: Fields, rest: Fields, context: StepContext): Promise<StepResult> {
  const { readResult } = await import("../command/protocols/registry.ts");
  const { event, hook, ports, run } = context;
  const result = readResult(said, event, hook.id);
  for (const line of result.logs ?? []) ports.observe?.({ is: "log", ...line, hook: hook.id, run });
  const own = ownResultOf(rest, context);
  const outcome = merge(result.outcome ?? {}, own.outcome ?? {});
  return { ...(own.ok ? result : { ...result, ...own }), output: { ...result.output, ...rest }, outcome };
}

function ownResultOf(answer: unknown, { event, hook }: StepContext): StepResult {
  if (answer === undefined || answer === null) return nothing;
  if (!isRecord(answer)) return unreadable(`${kindOf(answer)}, not an object`);
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

const unreadable = (what: string): StepResult => failed("output", `the callback answered ${what}`);

const words = ["deny", "ask", "allow"] as const;
const answerKeys: readonly string[] = [...words, ...outcomeFields.filter((field) => field !== "verdict"), "message"];

/** What nothing reads may have been meant as a verdict: the step fails, and a guard's failure blocks. */
function faultIn(answer: Record<string, unknown>): string | undefined {
  const stray = Object.keys(answer).find((key) => !answerKeys.includes(key) && answer[key] !== undefined);
  if (stray !== undefined) return `"${stray}", which nothing reads (${meantOrKnown(stray, answerKeys)})`;
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
