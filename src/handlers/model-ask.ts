/** One question of a hook to a model, and what each end of it means for the step. */
import { HooklineError } from "../core/error.ts";
import type { Fields } from "../core/event.ts";
import type { StepContext, StepResult } from "../core/ports.ts";
import type { ModelAnswer, ModelRequest } from "../core/reach.ts";
import type { Failure } from "../core/record.ts";
import { flag, integer, type Schema, say, text } from "../core/schema.ts";
import { readModelAnswer } from "./model-answer.ts";
import { answerSchema, fillPrompt, systemFor } from "./model-prompt.ts";

export interface Judging {
  prompt: string;
  model?: string;
  max_tokens?: number;
  continueOnBlock?: boolean;
}

/** Whoever writes no budget wants a judgement, not a bill. */
const usualBudget = 100_000;

export const promptSchema: Schema<string> = text("what to check; $ARGUMENTS becomes the event's JSON");
export const judgingSchemas: {
  model: Schema<string>;
  max_tokens: Schema<number>;
  continueOnBlock: Schema<boolean>;
} = {
  model: text("provider/model, or a name such as haiku; the configured default otherwise"),
  max_tokens: say(
    integer("tokens that it may use, input and output together", 1),
    "tokens that it may use, input and output together",
    usualBudget,
  ),
  continueOnBlock: say(
    flag,
    "on PostToolUse and PostToolBatch: a refusal is told to the agent, and its turn goes on",
    false,
  ),
};

/** Never rejects: what a failure cost stands in its step. */
export async function judge(
  params: Judging,
  context: StepContext,
  more: Pick<ModelRequest, "tools" | "turns"> = {},
): Promise<StepResult> {
  const { event, hook, ports, caller, signal } = context;
  if (!ports.model) return { ok: false, output: {}, failure: "launch", reason: "nothing here can ask a model" };
  try {
    const model = await ports.model(event, hook, caller.environment);
    const answer = await model.ask(requestOf(params, context, more), signal);
    const said = saidBy(answer);
    const read = readModelAnswer(said, {
      event,
      hook: hook.id,
      continueOnBlock: params.continueOnBlock === true,
    });
    return { ...read, output: outputOf(answer, said), tokens: answer.tokens.input + answer.tokens.output };
  } catch (error) {
    if (error instanceof HooklineError) return failedStep(error);
    throw error; // a defect: run.ts tells of it
  }
}

function requestOf(
  { prompt, model, max_tokens: maxTokens = usualBudget }: Judging,
  context: StepContext,
  more: Pick<ModelRequest, "tools" | "turns">,
): ModelRequest {
  const { caller, ports, timeout } = context;
  return {
    ...(model === undefined ? {} : { model }),
    system: systemFor((more.tools ?? []).length > 0),
    prompt: fillPrompt(prompt, context),
    schema: answerSchema,
    maxTokens,
    deadline: Math.min(ports.now() + timeout * 1000, caller.deadline ?? Number.POSITIVE_INFINITY),
    ...more,
  };
}

/** All of it, where the model port knows more than the JSON in it: what stands around an answer may be another one. */
const saidBy = (answer: ModelAnswer): string => answer.said ?? answer.text;

const outputOf = ({ model, tokens, calls }: ModelAnswer, content: string): Fields => ({
  content,
  model,
  tokens: { ...tokens },
  ...(calls.length > 0 ? { calls: calls.map((call) => ({ ...call })) } : {}),
});

/** Whether the time was over, the answer is none, or there is no answer. */
const failures: Readonly<Record<string, Failure>> = {
  timeout: "timeout",
  aborted: "timeout",
  cut: "output",
  refused: "output",
  unreadable: "output",
};

/** What a question that was not answered means for its step. */
export function failedStep({ code, facts, message }: HooklineError): StepResult {
  if (code !== "model_failed")
    return { ok: false, output: {}, failure: code === "model_unknown" ? "launch" : "error", reason: message };
  const { name, kind, status, retryAfter, reason, tokens } = facts;
  const output: Fields = {};
  for (const [key, value] of Object.entries({ model: name, kind, status, retryAfter }))
    if (value !== undefined) output[key] = value;
  return {
    ok: false,
    output,
    failure: failures[String(kind)] ?? "error",
    reason: `${kind}: ${name}: ${reason}`,
    ...(typeof tokens === "number" && tokens > 0 ? { tokens } : {}),
  };
}
