/** The tools that a model asks for in one turn: called in order, each answered, with a limit on what goes back. */
import { messageOf } from "../core/error.ts";
import type { Fields, Json } from "../core/event.ts";
import type { ModelTool } from "../core/reach.ts";
import { isRecord } from "../core/schema.ts";
import { stopped } from "./attempt.ts";
import type { Generated } from "./providers.ts";
import { failed, type Message, type Talk } from "./talk.ts";

type Call = Extract<Generated["content"][number], { type: "tool-call" }>;
type Spoken = Exclude<Extract<Message, { role: "assistant" }>["content"][number], string>;
type Answers = Extract<Message, { role: "tool" }>["content"];

export const callsOf = ({ content }: Generated): Call[] =>
  content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part] : []));

/** What the model said, to be said again: with the signatures of its thoughts, which providers ask for. */
export function spokenBy({ content }: Generated): Message {
  const parts = content.flatMap((part): Spoken[] => {
    if (part.type !== "text" && part.type !== "reasoning" && part.type !== "tool-call") return [];
    const kept = part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
    if (part.type !== "tool-call") return [{ type: part.type, text: part.text, ...kept }];
    const { toolCallId, toolName, input } = part;
    return [{ type: part.type, toolCallId, toolName, input: readInput(input) ?? {}, ...kept }];
  });
  return { role: "assistant", content: parts };
}

/** Rejects with model_failed once nobody waits any more. */
export async function answersTo(calls: readonly Call[], talk: Talk): Promise<Message> {
  const { clock, patience } = talk;
  const content: Answers = [];
  for (const { toolCallId, toolName, input } of calls) {
    const output = await answerTo(toolName, input, talk);
    content.push({ type: "tool-result", toolCallId, toolName, output });
    if (patience.signal.aborted) throw failed(talk, stopped(patience.signal, clock, patience.deadline));
  }
  return { role: "tool", content };
}

/** Never rejects: the model is told of the failure, and may do better. */
async function answerTo(
  name: string,
  written: string,
  talk: Talk,
): Promise<{ type: "text" | "error-text"; value: string }> {
  const { tools, calls, clock, patience } = talk;
  const started = clock.now();
  const tool = tools.get(name);
  const record = { tool: tool?.name ?? name, ok: false, ms: 0 };
  calls.push(record);
  try {
    const value = printed(await call(tool, written, patience.signal, tools));
    record.ok = true;
    return { type: "text", value };
  } catch (error) {
    return { type: "error-text", value: printed(messageOf(error)) };
  } finally {
    record.ms = clock.now() - started;
  }
}

function call(tool: ModelTool | undefined, written: string, signal: AbortSignal, tools: Talk["tools"]): Promise<Json> {
  if (!tool) throw new Error(`there is no such tool; there are: ${[...tools.keys()].join(", ")}`);
  const input = readInput(written);
  if (!input) throw new Error("the input is not a JSON object");
  return tool.call(input, signal);
}

function readInput(written: string): Fields | undefined {
  try {
    const value: unknown = written.trim() === "" ? {} : JSON.parse(written);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined; // the model wrote no JSON
  }
}
const isFields = (value: unknown): value is Fields => isRecord(value); // all of it came out of JSON.parse

/** What goes back to the model is paid for with every further turn. */
const longestResult = 60_000;

function printed(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > longestResult
    ? `${text.slice(0, longestResult)}\n[cut: it has ${text.length} characters]`
    : text;
}
