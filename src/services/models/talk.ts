/** The state of one question to a model: what was said, what it cost, and which tools it called. */
import type { HooklineError } from "../../engine/error.ts";
import type { MaybePromise } from "../../engine/event.ts";
import type { ModelAnswer, ModelRequest, ModelTool } from "../../engine/reach.ts";
import type { Clock, Patience } from "./attempt.ts";
import { type Failure, modelFailed } from "./failure.ts";
import type { Form } from "./form.ts";
import type { Access } from "./names.ts";
import type { CallOptions, Generated } from "./providers.ts";

export type Message = CallOptions["prompt"][number];

export interface Question {
  access: Access;
  request: ModelRequest;
  clock: Clock;
  patience: Patience;
  /** How each model was last asked with success: a form that its server refuses is not tried twice. */
  forms: Map<string, Form>;
}
export interface Talk extends Question {
  messages: Message[];
  /** By the names that the model sees. */
  tools: ReadonlyMap<string, ModelTool>;
  spent: ModelAnswer["tokens"];
  calls: ModelAnswer["calls"];
}

/** What a turn gave, as a journal keeps it: JSON, and nothing of the library's own records, which hold the whole request. */
export interface Reply extends Pick<Generated, "content" | "structuredOutputText" | "finishReason"> {
  cost: ModelAnswer["tokens"];
}

export function begin(question: Question): Talk {
  const { system, prompt, tools = [] } = question.request;
  const named = new Map<string, ModelTool>();
  for (const tool of tools) named.set(plainName(tool.name, named), tool);
  const messages: Message[] = system === undefined ? [] : [{ role: "system", content: system }];
  messages.push(fromUser(prompt));
  return { ...question, messages, tools: named, spent: { input: 0, output: 0 }, calls: [] };
}

export const fromUser = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** Providers take letters, digits, `_` and `-`, and 64 of them. */
function plainName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name.replace(/[^\w-]/g, "_").slice(0, 60);
  return taken.has(plain) ? `${plain}_${taken.size}` : plain;
}

export const failed = ({ access, spent }: Talk, failure: Failure): HooklineError =>
  modelFailed(failure, access, spent.input + spent.output);

/** A part of the question that is done once, however often the question is asked again after a crash. */
export const stepOf = async <T>({ request }: Talk, name: string, work: (key: string) => MaybePromise<T>): Promise<T> =>
  request.step ? request.step(name, work) : work("");

export const textOf = ({ content }: Pick<Generated, "content">): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
