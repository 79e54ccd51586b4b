/** The registry that the hooks of some events need: most are content with the common handlers, which load fast. */
import { type PatternNeeds, patternNeeds } from "../../conditions/patterns.ts";
import type { HookEvent } from "../../engine/event.ts";
import type { Condition, Hook, HookSet, Step } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import type { Registry } from "../../engine/ports.ts";
import type { Loaded, Loading } from "../../loading/loading.ts";

export const needsOf = (set: HookSet, only: readonly HookEvent[] | undefined): PatternNeeds =>
  patternNeeds(asked(set, only));

/** The hooks that these events can reach; without any, all. */
const asked = ({ hooks }: HookSet, only: readonly HookEvent[] | undefined): readonly Hook[] =>
  only ? hooks.filter((hook) => only.some(({ name }) => listensTo(hook, name))) : hooks;

/**
 * With a registry that knows all that these events' hooks need: for most the common handlers do, for rules all that comes
 * with Hookline, and for what a module registers the modules. A compiled copy knows its modules by name only.
 */
export async function withRegistry(
  loaded: Loaded,
  loading: Loading,
  only: readonly HookEvent[] | undefined,
): Promise<Loaded> {
  const hooks = asked(loaded.set, only);
  const lacks = (registry: Registry): boolean =>
    hooks.some((hook) => isBeyond(hook, registry) || (registry === loading.registry && usesTemplates(hook)));
  const callsModule = hooks.some(({ steps }) => steps.some((step) => isMissing(step, loading)));
  if (!callsModule && !lacks(loaded.registry)) return loaded;
  const whole = await loading.wholeRegistry();
  if (loaded.modules.length === 0 || (!callsModule && !lacks(whole))) return { ...loaded, registry: whole };
  const { loadModulesOf } = await import("../../loading/loading.ts");
  const { registry } = await loadModulesOf(loaded.modules, loading);
  return { ...loaded, registry };
}

/** A callback whose module has not been loaded. */
const isMissing = ({ uses, with: { id } }: Step, { functions }: Loading): boolean =>
  uses === "function" && typeof id === "string" && !functions.has(id);

const isBeyond = ({ when, steps }: Hook, registry: Registry): boolean =>
  steps.some((step) => !registry.handlers.has(step.uses) || isForeign(step, registry)) ||
  (when !== undefined && usesForeign(when, registry));

/** The common handlers fill in no placeholders. */
const usesTemplates = ({ steps }: Hook): boolean => steps.some(({ templates }) => templates);

const isForeign = ({ skipIf }: Step, registry: Registry): boolean =>
  skipIf !== undefined && usesForeign(skipIf, registry);

function usesForeign(condition: Condition, registry: Registry): boolean {
  const inside = (one: Condition): boolean => usesForeign(one, registry);
  if ("all" in condition) return condition.all.some(inside);
  if ("any" in condition) return condition.any.some(inside);
  if ("not" in condition) return inside(condition.not);
  return !registry.conditions.has(condition.is);
}
