/** Redaction in a process that works for others: whose environments it is shown, it learns the secrets of. */
import { dropOldest } from "../../engine/drop-oldest.ts";
import { createRedaction, type RedactionOptions } from "./redaction.ts";
import { secretValues } from "./secret-values.ts";

export interface LearningRedaction {
  /** As createRedaction's, with all that was learned by now. */
  redact(text: string): string;
  /** To be called before anything is written down that was told in this environment. */
  learn(environment: RedactionOptions["environment"]): void;
}

/** Those that were learned last: a session's are a handful. */
const learnedAtMost = 2_000;

export function createLearningRedaction({ environment, secrets = [] }: RedactionOptions): LearningRedaction {
  let seen = new WeakSet<object>(); // whose secrets are all among those learned
  const own = new Set(secretValues(environment, secrets));
  const learned = new Set<string>();
  let redact = createRedaction({ environment, secrets });
  return {
    redact: (text) => redact(text),
    learn(given) {
      if (seen.has(given)) return;
      const fresh = secretValues(given, []).filter((value) => !own.has(value) && !learned.has(value));
      for (const value of fresh) learned.add(value);
      if (learned.size > learnedAtMost) seen = new WeakSet();
      dropOldest(learned, learnedAtMost);
      seen.add(given);
      if (fresh.length === 0) return;
      redact = createRedaction({ environment, secrets: [...secrets, ...learned] });
    },
  };
}
