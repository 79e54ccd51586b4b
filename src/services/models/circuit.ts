/** A model that failed five times in a row is left alone for a minute: hooks that wait for it would only add to the trouble. */
import { HooklineError } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import type { Failure } from "./failure.ts";

const failuresAtMost = 5;
const rest = 60_000;
/** What says that the provider is in trouble, rather than this one question. */
const troubles: ReadonlySet<unknown> = new Set(["server", "rate_limit", "network", "timeout", "cut"]);

export interface Circuit {
  /** Why the model is not asked now. */
  refusal(model: string): Failure | undefined;
  watch<T>(model: string, work: () => Promise<T>): Promise<T>;
}

export function createCircuit(now: () => Instant): Circuit {
  const counts = new Map<string, { failures: number; last: Instant }>();
  return {
    refusal(model) {
      const { failures, last } = counts.get(model) ?? { failures: 0, last: 0 };
      const wait = (last + rest - now()) / 1000;
      if (failures < failuresAtMost || wait <= 0) return undefined;
      const reason = `it failed ${failures} times in a row and is not asked again for ${Math.ceil(wait)} s`;
      return { kind: "server", reason, retryAfter: wait };
    },
    async watch(model, work) {
      try {
        const value = await work();
        counts.delete(model);
        return value;
      } catch (error) {
        if (error instanceof HooklineError && troubles.has(error.facts.kind))
          counts.set(model, { failures: (counts.get(model)?.failures ?? 0) + 1, last: now() });
        throw error;
      }
    },
  };
}
