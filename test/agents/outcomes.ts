/** Everything that hooks may answer, in any mixture. */
import fc from "fast-check";
import type { Json } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";

const text = fc.string();
const fields = fc.dictionary(text, fc.jsonValue()) as fc.Arbitrary<{ [key: string]: Json }>;
const json = fc.jsonValue() as fc.Arbitrary<Json>;

export const outcomes: fc.Arbitrary<Outcome> = fc.record(
  {
    verdict: fc.record({
      is: fc.constantFrom("deny" as const, "ask" as const, "allow" as const, "defer" as const),
      reason: text,
      by: text,
    }),
    stop: fc.record({ reason: text }),
    context: fc.array(text),
    messages: fc.array(fc.record({ to: fc.constantFrom("person" as const, "model" as const), text })),
    compact: fc.constant({ strategy: "summarize" as const }),
    updatedInput: fields,
    updatedOutput: json,
    permissions: fc.array(json),
    watchPaths: fc.array(text),
    firstMessage: text,
    retry: fc.boolean(),
    suggestions: fc.array(fc.record({ id: text })),
    documents: fc.array(fc.record({ path: text })),
    intent: fields,
    followUps: fc.array(fc.record({ kind: text, payload: fields })),
    sessionTitle: text,
    suppressPrompt: fc.boolean(),
    suppressOutput: fc.boolean(),
    displayContent: text,
    worktreePath: text,
    elicitation: fc.record({ action: text }),
    reloadSkills: fc.boolean(),
    interrupt: fc.boolean(),
    extra: fields,
  },
  { requiredKeys: [] },
);
