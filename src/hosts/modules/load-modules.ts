/** The modules of a project, imported and read: their hooks, and a registry with what they register. */

import { existsSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Callback, callbackOf, type HookFunction } from "../../actions/function/function.ts";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Hook, Problem } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";
import type { Registry } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import type { LoadedModule } from "../../loading/load.ts";
import type { LoadedModules } from "../../loading/loading.ts";
import type { ModulePlace } from "../../loading/places.ts";
import { compileDefinition, definitionFields, type HookDefinition } from "../library/definition.ts";
import { collect, type Given } from "./setup.ts";

/**
 * One module after the other, so that a later one may use what an earlier one registered. Never throws: a module that
 * fails is a problem, and what the others give is active.
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
        ...(asksForSafety(definition) ? { loses: true } : {}), // nobody may lose a guard by a typing error (R46)
      });
    }
  }
}

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

/** A module by path, or by a package's name and the file that names it. */
interface ModuleReference {
  name: string;
  from: string;
}
interface Imported {
  exported: unknown;
  /** The module's file. */
  path: string;
  /** The files of the project that it consists of. */
  files: string[];
}

/** A module that waits for something when it is imported must not hold up an agent for ever. */
const patience: Seconds = 10;
const mark = "hookline";
let version = 0;

/** What `import … from "hookline"` means inside a user's module: the definitions alone, from source or from the bundle. */
const definitionsUrl = (): string =>
  ["../../define.ts", "./define.js", "../define.js"]
    .map((name) => new URL(name, import.meta.url))
    .find((url) => existsSync(url))?.href ?? "hookline";

/** The files of each import, by its mark. */
const filesByMark = new Map<string, Set<string>>();
let isListening = false;

/** Once for the process, and for good: a module may import more while it runs. It touches marked modules alone. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  registerHooks({
    resolve(specifier, context, next) {
      const marked = markIn(context.parentURL);
      if (marked === undefined) return next(specifier, context);
      if (specifier === "hookline") return { url: definitionsUrl(), shortCircuit: true };
      const found = next(specifier, context);
      if (!found.url.startsWith("file:") || found.url.includes("/node_modules/")) return found;
      filesByMark.get(marked)?.add(fileURLToPath(found.url));
      return { ...found, url: `${found.url}${marked}` };
    },
  });
}

const markIn = (url: string | undefined): string | undefined => /\?hookline=\d+$/.exec(url ?? "")?.[0];

/**
 * Imports a user's module, TypeScript or JavaScript, so that it is read again after a change and finds `hookline` although
 * it may be installed nowhere near. What it imports of its own project is watched, too.
 *
 * @throws HooklineError module_failed with the place in the module, where it is known
 */
async function importModule(reference: ModuleReference): Promise<Imported> {
  const path = resolveModule(reference);
  version += 1;
  const marked = `?${mark}=${version}`;
  const files = new Set<string>([path]);
  filesByMark.set(marked, files);
  listen();
  try {
    const loaded: unknown = await within(import(`${pathToFileURL(path).href}${marked}`));
    if (isRecord(loaded) && Object.keys(loaded).length === 0) throw new Error("it exports nothing");
    return { exported: defaultOf(loaded), path, files: [...files] };
  } catch (error) {
    if (error instanceof HooklineError) throw error;
    throw new HooklineError(
      "module_failed",
      { reason: reasonOf(error), where: placeIn(error, path) },
      { cause: error },
    );
  }
}

function resolveModule({ name, from }: ModuleReference): string {
  try {
    return createRequire(from).resolve(name);
  } catch (error) {
    throw new HooklineError(
      "module_failed",
      { reason: `${name} was not found`, where: from, advice: `install it in ${dirname(from)}, or correct its name` },
      { cause: error },
    );
  }
}

const defaultOf = (loaded: unknown): unknown =>
  typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : loaded;

async function within<T>(work: Promise<T>): Promise<T> {
  let forget = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it was not loaded within ${patience} s`)), patience * 1000);
    forget = () => clearTimeout(timer);
  });
  return Promise.race([work, late]).finally(() => forget());
}

const reasonOf = (error: unknown): string => messageOf(error).split("\n")[0] ?? "";

/** path:line:column, from the stack, which names the file with our mark. */
function placeIn(error: unknown, path: string): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`${escaped}(?:\\?${mark}=\\d+)?:(\\d+)(?::(\\d+))?`).exec(stack);
  return found ? `${path}:${found[1]}${found[2] ? `:${found[2]}` : ""}` : path;
}
