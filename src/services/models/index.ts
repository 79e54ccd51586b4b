/** The Model port on the AI SDK's providers: from settings and an environment to one that can be asked. */
import type { Model } from "../../engine/external-services.ts";
import type { ModelSettings } from "../../formats/config/config.ts";
import { converse, type Form } from "./converse.ts";
import { type Clock, createCircuit, modelFailed } from "./failure.ts";
import { accessFor, type Environment, placeOf } from "./names.ts";

export { variablesOf } from "./names.ts";

/**
 * Nothing is loaded before the first question. Keys come from the environment and from the settings, and go nowhere but
 * to their provider.
 *
 * @example
 * const model = createModel({ default: "anthropic/claude-haiku-4-5" }, process.env);
 * const { text, tokens } = await model.ask({ prompt: "Is this safe: rm -rf build" }, AbortSignal.timeout(60_000));
 */
export function createModel(settings: ModelSettings, environment: Environment, given: Partial<Clock> = {}): Model {
  const clock: Clock = { now: Date.now, after, ...given };
  const forms = new Map<string, Form>();
  const circuit = createCircuit(clock.now);
  return {
    async ask(request, signal) {
      const access = accessFor(request, settings, environment);
      const place = placeOf(access);
      const open = circuit.refusal(place);
      if (open) throw modelFailed(open, access, 0);
      const { deadline } = request;
      const patience = { signal, ...(deadline === undefined ? {} : { deadline }) };
      return circuit.watch(place, () => converse({ access, request, clock, patience, forms }));
    },
  };
}

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}
