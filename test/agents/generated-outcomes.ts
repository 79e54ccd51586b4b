/** Outcomes of every kind, for the property that an agent is told only what its own schema knows. */
import fc from "fast-check";
import type { Outcome } from "../../src/engine/outcome.ts";
import { outcomeFields } from "../../src/engine/outcome.ts";

const text = fc.string({ maxLength: 12 });
const fields = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
const json = fc.jsonValue({ maxDepth: 2 });
const texts = fc.array(text, { maxLength: 3 });

const generators: { readonly [field: string]: fc.Arbitrary<unknown> } = {
  verdict: fc.record({ is: fc.constantFrom("deny", "ask", "allow", "defer"), by: text, reason: text }),
  stop: fc.oneof(fc.constant({}), fc.record({ reason: text })),
  context: texts,
  messages: fc.array(fc.record({ to: fc.constantFrom("person", "model"), text }), { maxLength: 3 }),
  compact: fc.record({ strategy: fc.constantFrom("truncate", "summarize") }),
  updatedInput: fields,
  updatedOutput: json,
  permissions: fc.array(fc.oneof(fc.constantFrom("Bash(git *)", "Read"), json), { maxLength: 3 }),
  watchPaths: texts,
  firstMessage: text,
  retry: fc.boolean(),
  suggestions: fc.array(fc.record({ id: text }), { maxLength: 2 }),
  documents: fc.array(fc.record({ path: text }), { maxLength: 2 }),
  intent: fields,
  followUps: fc.array(fc.record({ kind: text, payload: fields }), { maxLength: 2 }),
  sessionTitle: text,
  suppressPrompt: fc.boolean(),
  suppressOutput: fc.boolean(),
  displayContent: text,
  worktreePath: text,
  elicitation: fc.record({ action: fc.constantFrom("accept", "decline", "cancel", "other"), content: json }),
  reloadSkills: fc.boolean(),
  interrupt: fc.boolean(),
  extra: fc.record(
    {
      terminalSequence: fc.constantFrom("\u0007", "\u001b]0;x\u0007", "\u001b[2J", ""),
      classifierContext: text,
      other: json,
    },
    { requiredKeys: [] },
  ),
};

const missing = outcomeFields.filter((field) => !Object.hasOwn(generators, field));
if (missing.length > 0) throw new Error(`no outcomes with ${missing.join(", ")} are made here`);

export const outcomes: fc.Arbitrary<Outcome> = fc.record(generators, { requiredKeys: [] }) as fc.Arbitrary<Outcome>; // each generator makes its field's type
