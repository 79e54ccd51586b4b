/** Asks for a smaller conversation (specification 003, D49). Whoever keeps the conversation does it, and restores it if that fails. */
import type { Handler } from "../core/ports.ts";
import { integer, object, oneOf, say } from "../core/schema.ts";

const strategies = ["truncate", "summarize"] as const;
export interface CompactContextParams {
  strategy?: (typeof strategies)[number];
  keep_last?: number;
}

export const compactContext: Handler<CompactContextParams> = {
  params: object(
    {},
    {
      strategy: say(oneOf(...strategies), "drop the older messages, or put a summary in their place", "truncate"),
      keep_last: integer("messages at the end that stay as they are; the host's own number unless said", 0),
    },
  ),
  action: {
    summary: "Asks for a smaller conversation; where the agent cannot be told so, the person is.",
    role: () => "observe",
  },
  run({ strategy = "truncate", keep_last: keepLast }) {
    const compact = { strategy, ...(keepLast === undefined ? {} : { keepLast }) };
    return { ok: true, output: { ...compact }, outcome: { compact } };
  },
};
