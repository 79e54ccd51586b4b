/** The modules of a project, imported and read: their hooks, and a registry with what they register. */

import { type Callback, callbackOf, type HookFunction } from "../../actions/function/function.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Hook, Problem } from "../../engine/hook.ts";
import type { Registry } from "../../engine/ports.ts";
import type { LoadedModule, LoadedModules } from "../../loading/loading.ts";
import type { ModulePlace } from "../../loading/rule-places.ts";
import { compileDefinition, definitionFields, type HookDefinition } from "../library/definition.ts";
import { importModule } from "./import-module.ts";
import { collect, type Given } from "./setup.ts";

/**
 * One module after the other, so that a later one may use what an earlier one registered. Never throws: a module that
 * fails is a problem, and what the others give is in force.
 *
 * @param functions where the callbacks of hooks are put, by hook id
 */
export async function loadModules(
  places: readonly ModulePlace[],
  base: Registry,
  functions: Map<string, Callback>,
): Promise<LoadedModules> {
  const registry = { handlers: new Map(base.handlers), conditions: new Map(base.conditions) };
  const modules: LoadedModule[] = [];
  const isTaken = (name: string): boolean => registry.handlers.has(name) || registry.conditions.has(name);
  for (const place of places) {
    const loaded: LoadedModule = { place, path: place.from, hooks: [], problems: [], files: [] };
    modules.push(loaded);
    try {
      const imported = await importModule(place);
      Object.assign(loaded, { path: imported.path, files: imported.files });
      const given = await collect(imported.exported, imported.path, isTaken);
      addHooks(loaded, given, functions);
      for (const fault of given.faults) loaded.problems.push(problemOf(fault, loaded.path));
      for (const [name, kind] of given.conditions) registry.conditions.set(name, kind);
      for (const [name, handler] of given.handlers) registry.handlers.set(name, handler);
    } catch (error) {
      loaded.problems.push({ ...problemOf(error, loaded.path), loses: true });
      loaded.files.push(loaded.path);
    }
  }
  return { modules, registry };
}

/** A hook that cannot be one is a problem, and its neighbours live (R33). */
function addHooks(loaded: LoadedModule, given: Given, functions: Map<string, Callback>): void {
  const { place, path } = loaded;
  const taken = new Set<string>();
  const made = fingerprint(`${place.root ?? ""}\0${path}`).slice(0, 12);
  for (const [index, definition] of given.hooks.entries()) {
    const name = definition.name ?? definition.id ?? nameOf(definition, index);
    const id = freeId(definition.id ?? `config:${place.label}#${name}:${made.slice(0, 6)}`, taken);
    // Ids that people write may meet those of another module: the callback of one must never answer for the other.
    const callback = `module:${made}:${index}`;
    const stray = Object.keys(definition).filter((key) => !definitionFields.includes(key));
    try {
      if (stray.length > 0) throw new Error(`nothing reads "${stray.join('", "')}"`);
      const hook = compileDefinition(definition as HookDefinition, id, place.layer); // it names its own events
      functions.set(callback, callbackOf(definition.run as HookFunction, definition.on)); // and is given no others
      const [step] = hook.steps;
      loaded.hooks.push({
        ...hook,
        name,
        steps: [{ ...step, with: { id: callback } }],
        origin: originOf(place, path, index),
      });
    } catch (error) {
      loaded.problems.push({
        ...problemOf(error, path),
        message: `the hook "${name}" cannot be used: ${messageOf(error)}`,
      });
    }
  }
}

const nameOf = ({ run }: Pick<HookDefinition<never>, "run">, index: number): string =>
  run.name === "run" || run.name === "" ? `hook ${index + 1}` : run.name;

function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}-${count}`;
  taken.add(free);
  return free;
}

/** The position counts the module's hooks: the engine orders by it, and no line is known. */
const originOf = ({ layer, root }: ModulePlace, file: string, index: number): Hook["origin"] => ({
  dialect: "config",
  layer,
  file,
  column: index + 1,
  ...(root ? { root } : {}),
});

function problemOf(error: unknown, path: string): Problem {
  const where = error instanceof HooklineError ? String(error.facts.where ?? "") : "";
  const [, file = path, line = "1", column = "1"] = /^(.*?):(\d+)(?::(\d+))?$/.exec(where) ?? [];
  const advice = error instanceof HooklineError ? error.facts.advice : undefined;
  return {
    severity: "error",
    code: "module-failed",
    message: `the module cannot be used: ${error instanceof HooklineError ? (error.facts.reason ?? error.message) : messageOf(error)}`,
    ...(advice ? { suggestion: String(advice) } : {}),
    file,
    line: Number(line),
    column: Number(column),
  };
}
