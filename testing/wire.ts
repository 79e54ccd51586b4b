/** What the wire forms of all providers have in common: how an answer is written, how a request is read, and how an error looks. */
import type { Fields, Json } from "../src/engine/event.ts";
import { isRecord } from "../src/engine/schema.ts";
import {
  chatStream,
  contentStream,
  type FinishedChat,
  type FinishedContent,
  type FinishedMessage,
  type FinishedResponse,
  messageStream,
  responseStream,
} from "./event-streams.ts";
import type { ScriptedAnswer, ScriptedCall } from "./scripted-model.ts";

/** What an answer claims that it cost. */
export interface ScriptedUsage {
  /** Cached ones included. */
  input: number;
  output: number;
  cached?: number;
}
export interface Conversation {
  /** The assistant turns that it holds already. */
  turn: number;
  /** What the user said before the model first spoke. */
  opening: string;
  /** It offers no tools. */
  side: boolean;
}
export interface Wire {
  read(body: Fields): Conversation;
  /** The whole answer. Without a usage it says nothing of what it cost. */
  write(answer: ScriptedAnswer, model: string, usage: ScriptedUsage | undefined, body: Fields): Json;
  /** The same as a stream of server-sent events. */
  stream(answer: ScriptedAnswer, model: string, usage: ScriptedUsage | undefined, body: Fields): string;
  error(status: number, message: string): Fields;
}

const records = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isFields) : []);
const isFields = (value: unknown): value is Fields => isRecord(value); // bodies come out of JSON.parse

const hasTools = ({ tools }: Fields): boolean => Array.isArray(tools) && tools.length > 0;

/** The text of a message that is text, or a list of parts of which some hold text. */
const textIn = (content: unknown): string =>
  typeof content === "string"
    ? content
    : records(content)
        .map(({ text }) => (typeof text === "string" ? text : ""))
        .join("\n");

/** Of messages that each say who spoke: the user or, in the provider's word, the model. */
const conversationIn = (body: Fields, messages: readonly Fields[], content: string): Conversation => ({
  turn: messages.filter(({ role }) => role === "assistant" || role === "model").length,
  opening: textIn(messages.find(({ role }) => role === "user")?.[content]),
  side: !hasTools(body),
});

/** How many times the model spoke: its messages, where those that stand together are one turn. */
const turnsOf = (speakers: readonly boolean[]): number =>
  speakers.filter((isModel, index) => isModel && !speakers[index - 1]).length;

const newId = (kind: string): string => `${kind}_${globalThis.crypto.randomUUID().replaceAll("-", "")}`;

// The Anthropic Messages wire form of a scripted answer, as JSON and as a stream.

export const anthropicMessages: Wire = {
  read: (body) => conversationIn(body, records(body.messages), "content"),
  write: messageOf,
  stream: (answer, model, usage) => messageStream(messageOf(answer, model, usage)),
  error: errorOf,
};

const noUsage: ScriptedUsage = { input: 0, output: 0 }; // this provider always says

/** The whole answer, as `stream: false` gets it. */
function messageOf(answer: ScriptedAnswer, model: string, usage = noUsage): FinishedMessage {
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

/** A model list as Anthropic and OpenAI give it, in one: they share a path, and each client reads its own fields. */
export const modelList = (names: readonly string[]): Json => ({
  data: names.map((id) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "2026-01-01T00:00:00Z",
    object: "model",
    created: 1_767_225_600,
    owned_by: "script",
  })),
  object: "list",
  has_more: false,
  first_id: names[0] ?? null,
  last_id: names.at(-1) ?? null,
});

// The wire form of Google's generateContent.

export const googleContent: Wire = {
  read: (body) => conversationIn(body, records(body.contents), "parts"),
  write: contentOf,
  stream: (...asked) => contentStream(contentOf(...asked)),
  error: (status, message) => ({ error: { code: status, message, status: statuses[status] ?? "INTERNAL" } }),
};

export const googleModels = (names: readonly string[]): Json => ({
  models: names.map((name) => ({
    name: `models/${name}`,
    displayName: name,
    supportedGenerationMethods: ["generateContent", "countTokens"],
  })),
});

function contentOf(
  { text, calls = [], end }: ScriptedAnswer,
  model: string,
  usage: ScriptedUsage | undefined,
  body: Fields,
): FinishedContent {
  const mute = text === undefined || end === "refusal";
  const said: Fields[] = mute ? [] : mustCall(body) ? [answerByCall(text)] : [{ text }];
  const called = calls.map(({ tool, input }) => ({ functionCall: { id: newId("call"), name: tool, args: input } }));
  const finish = end === "refusal" ? "SAFETY" : end === "length" ? "MAX_TOKENS" : "STOP";
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [...said, ...called] }, finishReason: finish }],
    modelVersion: model,
    responseId: newId("response"),
    ...(usage && {
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
        cachedContentTokenCount: usage.cached ?? 0,
      },
    }),
  };
}

/** Where it has to call a function, its answer is the call of the one that takes it. */
function mustCall({ toolConfig }: Fields): boolean {
  const { functionCallingConfig } = asFields(toolConfig);
  return asFields(functionCallingConfig).mode === "ANY";
}
const asFields = (value: unknown): Fields => records([value])[0] ?? {};

function answerByCall(text: string): Fields {
  try {
    return { functionCall: { id: newId("call"), name: "json", args: JSON.parse(text) } };
  } catch {
    return { text }; // the script wants to see what becomes of an answer that is no JSON
  }
}

const statuses: { [status: number]: string } = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

// The wire form of OpenAI's Responses.

const spokenByModel = ["function_call", "custom_tool_call", "reasoning"];

export const openaiResponses: Wire = {
  read(body) {
    const items = records(body.input);
    const byModel = items.map(({ type, role }) => role === "assistant" || spokenByModel.includes(String(type)));
    const first = byModel.indexOf(true);
    const before = items.slice(0, first === -1 ? items.length : first);
    return {
      turn: turnsOf(byModel),
      // what the agent says of its surroundings is a user message of its own, before the prompt
      opening: before.map(({ role, content }) => (role === "user" ? textIn(content) : "")).join("\n"),
      side: offeredTo(body).length === 0,
    };
  },
  write: responseOf,
  stream: (...asked) => responseStream(responseOf(...asked)),
  error: openaiError,
};

function responseOf(
  { text, calls = [], end }: ScriptedAnswer,
  model: string,
  usage: ScriptedUsage | undefined,
  body: Fields,
): FinishedResponse {
  const said: Fields[] =
    end === "refusal"
      ? [{ type: "refusal", refusal: text ?? "I cannot help with that." }]
      : text === undefined
        ? []
        : [{ type: "output_text", text, annotations: [] }];
  const output = calls.map((call) => calledItem(call, body));
  if (said.length > 0)
    output.unshift({ id: newId("msg"), type: "message", role: "assistant", status: "completed", content: said });
  return {
    id: newId("resp"),
    object: "response",
    created_at: 1_767_225_600,
    status: end === "length" ? "incomplete" : "completed",
    incomplete_details: end === "length" ? { reason: "max_output_tokens" } : null,
    error: null,
    model,
    output,
    ...(usage && {
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached ?? 0 },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
      },
    }),
  };
}

/** Tools may stand in the conversation too, then in a namespace that is no part of their names. */
function offeredTo(body: Fields): Fields[] {
  const added = records(body.input).filter(({ type }) => type === "additional_tools");
  const given = added.flatMap(({ tools }) => records(tools));
  return [...records(body.tools), ...given.flatMap((one) => (one.name === "functions" ? records(one.tools) : [one]))];
}

/** A call in the form in which the request offers the tool: a function, one that stands in a namespace, or one that takes plain text. */
function calledItem({ tool, input }: ScriptedCall, body: Fields): Fields {
  const offered = offeredTo(body);
  const namespace = offered.find(({ type, tools }) => type === "namespace" && records(tools).some(isNamed(tool)));
  const called = { status: "completed", call_id: newId("call"), name: tool };
  if (offered.find(isNamed(tool))?.type === "custom")
    return { id: newId("ctc"), type: "custom_tool_call", ...called, input: plainText(input) };
  return {
    id: newId("fc"),
    type: "function_call",
    ...called,
    ...(namespace && { namespace: namespace.name }),
    arguments: JSON.stringify(input),
  };
}

const isNamed =
  (tool: string) =>
  ({ name }: Fields): boolean =>
    name === tool;

/** What a script gives a tool that takes plain text: `{ input: "…" }`. */
const plainText = (input: Fields): string => (typeof input.input === "string" ? input.input : JSON.stringify(input));

// The wire form of OpenAI's Chat Completions, which Ollama, vLLM and others speak too.

export const openaiChat: Wire = {
  read: (body) => conversationIn(body, records(body.messages), "content"),
  write: chatOf,
  stream: (answer, model, usage, body) =>
    chatStream(chatOf(answer, model, asFields(body.stream_options).include_usage === true ? usage : undefined)),
  error: openaiError,
};

function chatOf(
  { text, calls = [], end }: ScriptedAnswer,
  model: string,
  usage: ScriptedUsage | undefined,
): FinishedChat {
  const toolCalls = calls.map(({ tool, input }) => ({
    id: newId("call"),
    type: "function",
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  const refused = end === "refusal";
  const message = {
    role: "assistant",
    content: refused ? null : (text ?? null),
    ...(refused ? { refusal: text ?? "I cannot help with that." } : {}),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
  };
  const finish = end === "length" ? "length" : toolCalls.length > 0 ? "tool_calls" : "stop";
  return {
    id: newId("chatcmpl"),
    object: "chat.completion",
    created: 1_767_225_600,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    ...(usage && {
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
      },
    }),
  };
}

const openaiErrorTypes: { [status: number]: string } = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  429: "rate_limit_exceeded",
};

function openaiError(status: number, message: string): Fields {
  const type = openaiErrorTypes[status] ?? "server_error";
  return { error: { message, type, param: null, code: status === 401 ? "invalid_api_key" : null } };
}
