/**
 * Hooks as their files alone say them: what trust is asked about (R30). A name that only a module or the host's program knows stands
 * for itself, because no module is read before trust, and neither the environment nor another file takes a part.
 */
import type { Hook } from "../../engine/hook.ts";
import type { ConditionKind, Handler, Registry } from "../../engine/ports.ts";
import { anything } from "../../engine/schema.ts";

/** A hook of a file, as it can be used here and as it is written; one of both where the other cannot be. */
export interface Written {
  hook?: Hook;
  form: Hook;
}

const condition: ConditionKind = { params: anything, compile: () => () => false };
const use = { summary: "", role: () => "undeclared" as const };
const handler: Handler = {
  params: anything as Handler["params"], // whatever its author has written is a map, which is read elsewhere
  action: use,
  builtin: use,
  run: () => ({ ok: false, output: {}, failure: "launch", reason: "it is only read" }),
};

/** @param own what comes with Hookline */
export const readingRegistry = ({ handlers, conditions }: Registry): Registry => ({
  handlers: withStandIn(handlers, handler),
  conditions: withStandIn(conditions, condition),
});

function withStandIn<T>(known: ReadonlyMap<string, T>, standIn: T): ReadonlyMap<string, T> {
  const all = new Map(known);
  const get = all.get.bind(all);
  all.get = (name) => get(name) ?? standIn;
  all.has = () => true;
  return all;
}

/** Each entry of a file gives one hook at most, so its place tells which are one. */
export function paired(hooks: readonly Hook[], forms: readonly Hook[]): Written[] {
  const byPlace = new Map(hooks.map((hook) => [placeOf(hook), hook]));
  return forms.map((form) => {
    const hook = byPlace.get(placeOf(form));
    return hook ? { hook, form } : { form };
  });
}

const placeOf = ({ origin: { line, column } }: Hook): string => `${line}:${column}`;
