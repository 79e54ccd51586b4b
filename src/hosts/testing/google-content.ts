/** The wire form of Google's generateContent. */
import type { Fields } from "../../engine/event.ts";
import { hasTools, newId, records, textIn, type Wire } from "./wire.ts";

export const googleContent: Wire = {
  read(body) {
    const contents = records(body.contents);
    return {
      turn: contents.filter(({ role }) => role === "model").length,
      opening: textIn(contents.find(({ role }) => role === "user")?.parts),
      side: !hasTools(body),
    };
  },
  write({ text, calls = [], end }, model, usage, body) {
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
  },
  error: (status, message) => ({ error: { code: status, message, status: statuses[status] ?? "INTERNAL" } }),
};

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
