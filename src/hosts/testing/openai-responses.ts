/** The wire form of OpenAI's Responses. */
import type { Fields } from "../../engine/event.ts";
import { openaiError } from "./openai-chat.ts";
import { hasTools, newId, records, textIn, turnsOf, type Wire } from "./wire.ts";

const spokenByModel = ["function_call", "reasoning"];

export const openaiResponses: Wire = {
  read(body) {
    const items = records(body.input);
    return {
      turn: turnsOf(items.map(({ type, role }) => role === "assistant" || spokenByModel.includes(String(type)))),
      opening: textIn(items.find(({ role }) => role === "user")?.content),
      side: !hasTools(body),
    };
  },
  write({ text, calls = [], end }, model, usage) {
    const said: Fields[] =
      end === "refusal"
        ? [{ type: "refusal", refusal: text ?? "I cannot help with that." }]
        : text === undefined
          ? []
          : [{ type: "output_text", text, annotations: [] }];
    const output: Fields[] = calls.map(({ tool, input }) => ({
      id: newId("fc"),
      type: "function_call",
      status: "completed",
      call_id: newId("call"),
      name: tool,
      arguments: JSON.stringify(input),
    }));
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
  },
  error: openaiError,
};
