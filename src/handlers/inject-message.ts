/** Puts a message into the conversation (specification 003, D50). */
import type { Handler } from "../core/ports.ts";
import { object, oneOf, say, text } from "../core/schema.ts";

const roles = ["user", "system", "assistant"] as const;
export interface InjectMessageParams {
  content: string;
  role?: (typeof roles)[number];
  placeholder?: string;
}

export const injectMessage: Handler<InjectMessageParams> = {
  params: object(
    { content: text("what the model is told") },
    {
      role: say(oneOf(...roles), "who says it to the model", "user"),
      placeholder: text("the named part of the prompt that it goes into, for a host that has such parts"),
    },
  ),
  action: {
    summary: "Tells the model something: a message in the conversation. Several on one event all arrive, in order.",
    role: () => "observe",
  },
  run({ content, role = "user", placeholder }) {
    if (content.trim() === "") return { ok: true, output: {}, notes: ["the message is empty: nothing was injected"] };
    const message = { to: "model" as const, role, text: content, ...(placeholder ? { placeholder } : {}) };
    return { ok: true, output: { role, content }, outcome: { messages: [message] } };
  },
};
