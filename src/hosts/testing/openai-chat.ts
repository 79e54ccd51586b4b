/** The wire form of OpenAI's Chat Completions, which Ollama, vLLM and others speak too. */
import type { Fields } from "../../engine/event.ts";
import { hasTools, newId, records, textIn, type Wire } from "./wire.ts";

export const openaiChat: Wire = {
  read(body) {
    const messages = records(body.messages);
    return {
      turn: messages.filter(({ role }) => role === "assistant").length,
      opening: textIn(messages.find(({ role }) => role === "user")?.content),
      side: !hasTools(body),
    };
  },
  write({ text, calls = [], end }, model, usage) {
    const toolCalls = calls.map(({ tool, input }) => ({
      id: newId("call"),
      type: "function",
      function: { name: tool, arguments: JSON.stringify(input) },
    }));
    const refused = end === "refusal";
    const message: Fields = {
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
  },
  error: openaiError,
};

const errorTypes: { [status: number]: string } = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  429: "rate_limit_exceeded",
};

export function openaiError(status: number, message: string): Fields {
  const type = errorTypes[status] ?? "server_error";
  return { error: { message, type, param: null, code: status === 401 ? "invalid_api_key" : null } };
}
