/** The Anthropic Messages wire form of a scripted answer, as JSON and as a stream. Apart from the script, so that another provider's form is another file. */
import type { Fields, Json } from "../../engine/event.ts";
import type { ScriptedAnswer } from "./scripted-model.ts";
import { hasTools, newId, records, type ScriptedUsage, textIn, type Wire } from "./wire.ts";

export const anthropicMessages: Wire = {
  read(body) {
    const messages = records(body.messages);
    return {
      turn: messages.filter(({ role }) => role === "assistant").length,
      opening: textIn(messages.find(({ role }) => role === "user")?.content),
      side: !hasTools(body),
    };
  },
  write: messageOf,
  stream: (answer, model, usage) => streamOf(messageOf(answer, model, usage)),
  error: errorOf,
};

/** A finished answer. Its content holds text and calls, in the order in which they are streamed. */
interface Message {
  [field: string]: Json;
  content: Fields[];
  stop_reason: string;
  usage: Fields;
}

const noUsage: ScriptedUsage = { input: 0, output: 0 }; // this provider always says

/** The whole answer, as `stream: false` gets it. */
function messageOf(answer: ScriptedAnswer, model: string, usage = noUsage): Message {
  const said: Fields[] = answer.text === undefined ? [] : [{ type: "text", text: answer.text }];
  const called = (answer.calls ?? []).map((call) => ({
    type: "tool_use",
    id: newId("toolu"),
    name: call.tool,
    input: call.input,
  }));
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model,
    content: [...said, ...called],
    stop_reason: answer.end ? ends[answer.end] : called.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: usage.input - (usage.cached ?? 0),
      output_tokens: usage.output,
      ...(usage.cached === undefined ? {} : { cache_read_input_tokens: usage.cached }),
    },
  };
}
const ends = { length: "max_tokens", refusal: "refusal" } as const;

/** The same answer as server-sent events, in the order in which the provider sends them. */
function streamOf(message: Message): string {
  const { content, stop_reason, usage } = message;
  return [
    event({ type: "message_start", message: { ...message, content: [], stop_reason: null } }),
    event({ type: "ping" }),
    ...content.map(blockEvents),
    event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage }),
    event({ type: "message_stop" }),
  ].join("");
}

function blockEvents(block: Fields, index: number): string {
  const called = block.type === "tool_use";
  const started = called ? { ...block, input: {} } : { type: "text", text: "" };
  const pieces = halves(called ? JSON.stringify(block.input) : String(block.text));
  const delta = (piece: string) =>
    called ? { type: "input_json_delta", partial_json: piece } : { type: "text_delta", text: piece };
  return [
    event({ type: "content_block_start", index, content_block: started }),
    ...pieces.map((piece) => event({ type: "content_block_delta", index, delta: delta(piece) })),
    event({ type: "content_block_stop", index }),
  ].join("");
}

/** Two pieces, so that a client that reads only the first one fails. By code points: half a character is not text. */
function halves(whole: string): string[] {
  const letters = [...whole];
  const middle = Math.ceil(letters.length / 2);
  return [letters.slice(0, middle).join(""), letters.slice(middle).join("")].filter((piece) => piece !== "");
}

const event = (data: Fields): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

const errorTypes: { [status: number]: string } = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function errorOf(status: number, message: string): Fields {
  return { type: "error", error: { type: errorTypes[status] ?? "api_error", message }, request_id: newId("req") };
}

/** A model list with the one name that was asked for, or none. */
export const modelList = (names: readonly string[]): Json => ({
  data: names.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
  has_more: false,
  first_id: names[0] ?? null,
  last_id: names.at(-1) ?? null,
});
