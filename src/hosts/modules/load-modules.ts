/** The modules of a place, read: their hooks, and a registry with what they register. Where they run: projects.ts. */
import { type Callback, callbackOf, type HookFunction } from "../../actions/function/function.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Hook, Problem } from "../../engine/hook.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import type { ConditionKind, Handler } from "../../engine/ports.ts";
import { textAt } from "../../files/regular-file.ts";
import { createLocator, type Place } from "../../formats/reading/tree.ts";
import type { LoadedModule } from "../../loading/load.ts";
import type { Loading } from "../../loading/loading.ts";
import type { ModulePlace } from "../../loading/places.ts";
import { compileDefinition, definitionFields, type HookDefinition } from "../library/definition.ts";
import { importModule } from "./import-module.ts";
import { actionHandler, conditionKind } from "./kinds.ts";
import { createProjectModules, type Found, type ProjectModulesOptions } from "./projects.ts";
import { collect } from "./setup.ts";

export interface Modules {
  /**
   * One module after the other, so that a later one may use what an earlier one registered; the user's own in this process, and
   * those of a project in one of theirs. Never rejects: a module that fails is a problem, and what the others give is active.
   *
   * @param functions where the callbacks of hooks are put, by hook id
   */
  loadModules: Loading["loadModules"];
  /** Ends the processes. Safe to call twice. */
  close(): void;
}

export function createModules(options: ProjectModulesOptions): Modules {
  const projects = createProjectModules(options);
  return {
    async loadModules(places, base, functions) {
      const registry = { handlers: new Map(base.handlers), conditions: new Map(base.conditions) };
      const given = new Map<ModulePlace, Found>();
      const own = places.filter(({ root }) => root === undefined);
      const others = places.filter(({ root }) => root !== undefined);
      const taken = (): string[] => [...registry.handlers.keys(), ...registry.conditions.keys()];
      for (const place of own) {
        const found = await importHere(place, taken());
        given.set(place, found);
        register(found, registry);
      }
      if (others.length > 0)
        for (const [index, found] of (await projects.load(others, taken())).entries()) {
          const place = others[index];
          if (place) given.set(place, found);
          register(found, registry);
        }
      const modules = places.flatMap((place) => {
        const found = given.get(place);
        return found ? [loadedOf(place, found, functions)] : [];
      });
      return { modules, registry };
    },
    close: projects.close,
  };
}

async function importHere(place: ModulePlace, taken: readonly string[]): Promise<Found> {
  const found: Found = {
    path: place.from,
    files: [],
    hooks: [],
    conditions: new Map(),
    handlers: new Map(),
    faults: [],
  };
  try {
    const { exported, path, files } = await importModule(place);
    Object.assign(found, { path, files });
    const { hooks, conditions, actions, faults } = await collect(exported, path, (name) => taken.includes(name));
    Object.assign(found, { hooks, faults });
    for (const [name, definition] of conditions) found.conditions.set(name, conditionKind(name, definition));
    for (const [name, definition] of actions) found.handlers.set(name, actionHandler(name, definition));
    return found;
  } catch (error) {
    return { ...found, error };
  }
}

/** A name that is taken is refused here, too, whatever the process of a project says. */
function register(
  found: Found,
  registry: { handlers: Map<string, Handler>; conditions: Map<string, ConditionKind> },
): void {
  const isFree = (name: string): boolean => {
    const free = !registry.handlers.has(name) && !registry.conditions.has(name);
    if (!free) found.faults.push(new HooklineError("name_taken", { name, where: found.path }));
    return free;
  };
  for (const [name, kind] of found.conditions) if (isFree(name)) registry.conditions.set(name, kind);
  for (const [name, handler] of found.handlers) if (isFree(name)) registry.handlers.set(name, handler);
}

function loadedOf(place: ModulePlace, found: Found, functions: Map<string, Callback>): LoadedModule {
  const { path, files, hooks, faults } = found;
  const guardActions = [...found.handlers]
    .filter(([, { action }]) => action?.role({}) === "guard")
    .map(([name]) => name);
  const loaded: LoadedModule = { place, path, hooks: [], problems: [], files, guardActions };
  addHooks(loaded, hooks, functions);
  for (const fault of faults) loaded.problems.push(problemOf(fault, path));
  if (!("error" in found)) return loaded;
  const problem = problemOf(found.error, path);
  const named = problem.file === place.from ? place.at : undefined; // it could not be found
  return {
    ...loaded,
    problems: [...loaded.problems, { ...problem, ...named, loses: true }],
    files: [...files, path],
  };
}

/** A hook that cannot be one is a problem, and its neighbours live (R33). */
function addHooks(loaded: LoadedModule, hooks: Found["hooks"], functions: Map<string, Callback>): void {
  const { place, path } = loaded;
  const taken = new Set<string>();
  const made = fingerprint(`${place.root ?? ""}\0${path}`).slice(0, 12);
  for (const [index, definition] of hooks.entries()) {
    const name = definition.name ?? definition.id ?? nameOf(definition, index);
    const id = freeId(definition.id ?? `config:${place.label}#${name}:${made.slice(0, 6)}`, taken);
    // Ids that people write may meet those of another module: the callback of one must never answer for the other.
    const callback = `module:${made}:${index}`;
    const stray = Object.keys(definition).filter((key) => !definitionFields.includes(key));
    try {
      if (stray.length > 0) throw new Error(`nothing reads "${stray.join('", "')}" — the hook — ${adviceOn(stray)}`);
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
        ...problemOf(error, path, { name, index, of: hooks.length }),
        ...(asksForSafety(definition) ? { loses: true } : {}), // nobody may lose a guard by a typing error (R46)
      });
    }
  }
}

const adviceOn = ([key = ""]: readonly string[]): string =>
  didYouMean(key, definitionFields) ?? `known: ${definitionFields.join(", ")}`;

/** Also by a misspelt key. */
function asksForSafety(definition: object): boolean {
  const says = (key: string, meant: string): boolean =>
    Object.entries(definition).some(
      ([written, value]) =>
        nearest(written, definitionFields) === key && typeof value === "string" && nearest(value, [meant]) === meant,
    );
  return says("role", "guard") || says("onFailure", "block");
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

/** @param hook the one that it is about */
function problemOf(error: unknown, path: string, hook?: { name: string; index: number; of: number }): Problem {
  const facts = error instanceof HooklineError ? error.facts : {};
  const [what = "", , advice] = messageOf(error).split(" — ");
  const reason = String(facts.reason ?? what);
  const [, file = path, line, column = "1"] = /^(.*?):(\d+)(?::(\d+))?$/.exec(String(facts.where ?? "")) ?? [];
  const place = line === undefined ? placeInModule(file, { message: reason, ...(hook ? { hook } : {}) }) : undefined;
  return {
    severity: "error",
    code: "module-failed",
    message: `the ${hook ? `hook "${hook.name}"` : "module"} cannot be used: ${reason}`,
    suggestion: String(facts.advice ?? (facts.reason === undefined ? advice : undefined) ?? "correct it at this place"),
    file,
    ...(place ?? { line: Number(line ?? 1), column: Number(column) }),
  };
}

// Where in a module a mistake of one of its hooks stands, as far as its text alone shows: what it exports knows no lines.

interface Sought {
  /** What it quotes is looked for. */
  message: string;
  /** Which hook of how many it is about; absent: the module. */
  hook?: { index: number; of: number };
}

/** Undefined: the text does not show it. Never throws. */
function placeInModule(path: string, { message, hook }: Sought): Place | undefined {
  const code = withoutRemarks(textAt(path) ?? "");
  const starts = [...code.matchAll(/(?<![\w$.])(["']?)on\1\s*:/g)].map(({ index }) => index);
  const from = hook && starts.length === hook.of ? starts[hook.index] : undefined;
  const part = from === undefined ? code : code.slice(0, starts[(hook?.index ?? 0) + 1]);
  const words = [...message.matchAll(/"([^"]+)"/g)].map(([, word = ""]) => part.indexOf(word, from ?? 0));
  const at = words.find((one) => one >= 0) ?? from;
  return at === undefined ? undefined : createLocator(code)(at);
}

/** Of the same length, so that places stay. */
const withoutRemarks = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, (remark) => remark.replace(/[^\n]/g, " "));
