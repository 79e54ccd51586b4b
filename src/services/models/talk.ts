/** The state of one question to a model: what was said, what it cost, and which tools it called. */
import { parseJson } from "../../actions/command/protocols/find-answer.ts";
import { type HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, Json, MaybePromise } from "../../engine/event.ts";
import type { ModelAnswer, ModelRequest, ModelTool } from "../../engine/external-services.ts";
import { labelled } from "../../engine/hook-words.ts";
import { bothEnds, oneLine, visible } from "../../engine/one-line.ts";
import { isFields } from "../../engine/schema.ts";
import type { Form } from "./converse.ts";
import { type Clock, type Failure, modelFailed, type Patience, stopped } from "./failure.ts";
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

// The tools that a model asks for in one turn: called in order, each answered, with a limit on what goes back.

type Call = Extract<Reply["content"][number], { type: "tool-call" }>;
type Spoken = Exclude<Extract<Message, { role: "assistant" }>["content"][number], string>;
type Answers = Extract<Message, { role: "tool" }>["content"];

export const callsOf = ({ content }: Reply): Call[] =>
  content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part] : []));

/** What the model said, to be said again: with the signatures of its thoughts, which providers ask for. */
export function spokenBy({ content }: Reply): Message {
  const parts = content.flatMap((part): Spoken[] => {
    if (part.type !== "text" && part.type !== "reasoning" && part.type !== "tool-call") return [];
    const kept = part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
    if (part.type !== "tool-call") return [{ type: part.type, text: part.text, ...kept }];
    const { toolCallId, toolName, input } = part;
    return [{ type: part.type, toolCallId, toolName, input: readInput(input) ?? {}, ...kept }];
  });
  return { role: "assistant", content: parts };
}

/** Rejects with model_failed once no caller waits any more. */
export async function answersTo(calls: readonly Call[], turn: number, talk: Talk): Promise<Message> {
  const content: Answers = [];
  for (const [index, { toolCallId, toolName, input }] of calls.entries()) {
    const offered = talk.tools.get(toolName);
    const record = {
      tool: offered?.name ?? toolName,
      ok: false,
      ms: 0,
      ...(offered ? {} : { refused: true as const }),
    };
    talk.calls.push(record);
    tell(talk);
    const name = `turn ${turn} call ${index}`;
    const { value, ...ended } = await stepOf(talk, name, (key) => answerTo({ name: toolName, input, key }, talk));
    Object.assign(record, ended);
    tell(talk);
    content.push({
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: record.ok ? "text" : "error-text", value },
    });
    if (talk.patience.signal.aborted) throw givenUp(talk);
  }
  return { role: "tool", content };
}

const tell = ({ calls, request, spent }: Talk): void =>
  request.called?.(
    calls.map((call) => ({ ...call })),
    { ...spent },
  );

const givenUp = (talk: Talk): Error => failed(talk, stopped(talk.patience.signal, talk.clock, talk.patience.deadline));

interface Asked {
  name: string;
  /** As the model wrote it. */
  input: string;
  key: string;
}
interface Answered {
  ok: boolean;
  ms: number;
  value: string;
}

/** The model reads of a failure, and may do better. Rejects only where no caller waits any more: that is no answer to keep. */
async function answerTo(asked: Asked, talk: Talk): Promise<Answered> {
  const { clock, patience } = talk;
  const started = clock.now();
  const from = talk.tools.get(asked.name)?.from;
  const ended = (ok: boolean, value: Json): Answered => ({
    ok,
    ms: clock.now() - started,
    value: printed(value, from),
  });
  try {
    return ended(true, await call(asked, talk.tools, patience.signal));
  } catch (error) {
    if (patience.signal.aborted) throw givenUp(talk);
    return ended(false, messageOf(error));
  }
}

async function call(asked: Asked, tools: ReadonlyMap<string, ModelTool>, signal: AbortSignal): Promise<Json> {
  const tool = tools.get(asked.name);
  if (!tool) throw new Error(`there is no such tool; there are: ${[...tools.keys()].join(", ")}`);
  const input = readInput(asked.input);
  if (!input) throw new Error("the input is not a JSON object");
  return tool.call(input, signal, asked.key);
}

/** Undefined: the model wrote no JSON object. */
function readInput(written: string): Fields | undefined {
  const value = written.trim() === "" ? {} : parseJson(written);
  return isFields(value) ? value : undefined;
}

/** What goes back to the model is paid for with every further turn. */
const longestResult = 60_000;

/** @param from whose words they are, where they are a stranger's */
function printed(value: Json, from: string | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const shown = text.length <= longestResult ? visible(text) : bothEnds(text, longestResult, visible);
  const cut = text.length <= longestResult && shown.length > longestResult ? bothEnds(shown, longestResult) : shown;
  return from === undefined ? cut : labelled(cut, oneLine(from));
}
