/** What a module gives to the line: hooks, conditions and actions, in whichever of the allowed shapes it exports them. */
import { HooklineError } from "../../engine/error.ts";
import type { EventName } from "../../engine/event.ts";
import type { ConditionKind, Handler } from "../../engine/ports.ts";
import { isRecord, kindOf } from "../../engine/schema.ts";
import type { AnyHookDefinition, HookDefinition } from "../library/definition.ts";
import { type ActionDefinition, actionHandler } from "./custom-action.ts";
import { type ConditionDefinition, conditionKind } from "./custom-condition.ts";

/** What a module that exports a function is given. */
export interface Setup {
  use<const N extends EventName>(hook: HookDefinition<N>): void;
  /** A condition that rules may use by this name. A name that is taken is an error. */
  registerCondition<P>(name: string, definition: ConditionDefinition<P>): void;
  /** An action that rules may use by this name. A name that is taken is an error. */
  registerAction<P>(name: string, definition: ActionDefinition<P>): void;
}

/** The object form of a module's default export. */
export interface ConfigModule {
  hooks?: readonly AnyHookDefinition[];
  conditions?: { readonly [name: string]: ConditionDefinition<never> };
  actions?: { readonly [name: string]: ActionDefinition<never> };
}

/** Gives a configuration its types. It changes nothing. */
export const defineConfig = (config: ConfigModule): ConfigModule => config;

export interface Given {
  hooks: HookDefinition<never>[];
  conditions: Map<string, ConditionKind>;
  handlers: Map<string, Handler>;
  /** Registrations that were refused. They cost nobody his hooks. */
  faults: HooklineError[];
}

/** @throws HooklineError module_failed; and what the module's own function throws */
export async function collect(exported: unknown, where: string, isTaken: (name: string) => boolean): Promise<Given> {
  const given: Given = { hooks: [], conditions: new Map(), handlers: new Map(), faults: [] };
  /** Whether the name is free; else it is told, and the rest of the module goes on. */
  const claim = (name: string): boolean => {
    const isFree = !given.conditions.has(name) && !given.handlers.has(name) && !isTaken(name);
    if (!isFree) given.faults.push(new HooklineError("name_taken", { name, where }));
    return isFree;
  };
  const setup: Setup = {
    use: (hook) => void given.hooks.push(asHook(hook, where)),
    registerCondition(name, definition) {
      if (claim(name)) given.conditions.set(name, conditionKind(name, mustHave(definition, "test", where)));
    },
    registerAction(name, definition) {
      if (claim(name)) given.handlers.set(name, actionHandler(name, mustHave(definition, "run", where)));
    },
  };
  const value: unknown = typeof exported === "function" ? await exported(setup) : exported;
  // A function may use its setup, or answer what a module may export, or both.
  if (typeof exported !== "function" || value !== undefined) readObject(value, setup, where);
  return given;
}

function readObject(exported: unknown, setup: Setup, where: string): void {
  if (Array.isArray(exported)) {
    for (const hook of exported) setup.use(hook);
    return;
  }
  if (!isRecord(exported)) throw shape(kindOf(exported), where);
  if ("run" in exported && "on" in exported) {
    setup.use(asHook(exported, where));
    return;
  }
  const known = ["hooks", "conditions", "actions"];
  const stray = Object.keys(exported).find((key) => !known.includes(key));
  if (stray !== undefined) throw shape(`an object with "${stray}"`, where);
  const { hooks = [], conditions = {}, actions = {} } = exported as ConfigModule; // each member is checked below
  for (const hook of hooks) setup.use(hook as HookDefinition<EventName>); // asHook looks at it
  for (const [name, one] of Object.entries(conditions)) setup.registerCondition(name, one);
  for (const [name, one] of Object.entries(actions)) setup.registerAction(name, one);
}

const shape = (found: string, where: string): HooklineError =>
  new HooklineError("module_failed", {
    reason: `its default export is ${found}`,
    where,
    advice: "export a hook, a list of hooks, { hooks, conditions, actions }, or a function that is given a setup",
  });

function asHook(value: unknown, where: string): HookDefinition<never> {
  if (isRecord(value) && typeof value.run === "function" && (typeof value.on === "string" || Array.isArray(value.on)))
    return value as unknown as HookDefinition<never>; // `on` and `run` are what makes one
  throw shape("a list with something that is no hook", where);
}

function mustHave<T>(definition: T, member: string, where: string): T {
  if (isRecord(definition) && typeof definition[member] === "function") return definition;
  throw new HooklineError("module_failed", {
    reason: `something is registered without a function "${member}"`,
    where,
    advice: `write { ${member}() { … } }`,
  });
}
