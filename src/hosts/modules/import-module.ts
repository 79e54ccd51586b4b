/** Imports one module, TypeScript or JavaScript, anew after a change; where it was trusted, the bytes that were trusted and no others. */
import { existsSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularBytesSync } from "../../files/regular-file.ts";
import { stateOfBytes } from "../../loading/trust/item.ts";
import { isReadable } from "../../loading/trust/module-files.ts";

/** A module by path, or by a package's name and the file that names it. */
interface ModuleReference {
  name: string;
  from: string;
}
export interface Imported {
  exported: unknown;
  /** The module's file. */
  path: string;
  /** The files of the project that it consists of. */
  files: string[];
}

/** A module that waits for something when it is imported must not hold up an agent for ever. */
export const patience: Seconds = 10;
const mark = "hookline";
let version = 0;

/** What `import … from "hookline"` means inside a user's module: the definitions alone, from source or from the bundle. */
const definitionsUrl = (): string =>
  ["../../define.ts", "./define.js", "../define.js"]
    .map((name) => new URL(name, import.meta.url))
    .find((url) => existsSync(url))?.href ?? "hookline";

/**
 * From here on this process reads no file of a module but those, in the state in which they were trusted. What runs is what
 * was compared: each file is read once. Hookline's own are not asked about.
 *
 * @param states by path, as in an item of trust
 */
export function readOnly(states: Readonly<Record<string, string>>): void {
  const own = new URL(".", definitionsUrl()).href;
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith("file:") || url.startsWith(own)) return next(url, context);
      const path = fileURLToPath(url);
      const bytes = readRegularBytesSync(path);
      const found = Object.hasOwn(states, path) ? states[path] : undefined;
      if (found === undefined || stateOfBytes(path, bytes) !== found) throw untrusted(path, found !== undefined);
      const loaded = next(url, context);
      const isText = loaded.format?.startsWith("commonjs") || loaded.format?.startsWith("json");
      return { ...loaded, source: isText ? bytes.toString() : bytes };
    },
  });
}

const untrusted = (path: string, isKnown: boolean): HooklineError =>
  new HooklineError("module_failed", {
    reason: isKnown ? `${path} is not what was trusted` : `${path} is not among the files that were trusted with it`,
    where: path,
    advice: "hookline trust shows what would run; name each file by a plain import",
  });

let isAlone = false;

/** In a process that imports each module once, and ends: there the address of a module is that of its file, with nothing behind it. */
export function importOnce(): void {
  isAlone = true;
}

/** The files of each import, by the address of each module that belongs to it. */
const filesByUrl = new Map<string, Set<string>>();
let isListening = false;

/** Once for the process, and for good: a module may import more while it runs. It touches modules of users alone. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  registerHooks({
    resolve(specifier, context, next) {
      const files = filesByUrl.get(context.parentURL ?? "");
      if (!files) return next(specifier, context);
      if (specifier === "hookline") return { url: definitionsUrl(), shortCircuit: true };
      const found = next(specifier, context);
      if (!found.url.startsWith("file:") || found.url.includes("/node_modules/")) return found;
      files.add(fileURLToPath(found.url));
      const url = `${found.url}${markIn(context.parentURL)}`;
      filesByUrl.set(url, files);
      return { ...found, url };
    },
  });
}

const markIn = (url: string | undefined): string => /\?hookline=\d+$/.exec(url ?? "")?.[0] ?? "";

/**
 * Imports a user's module, TypeScript or JavaScript, so that it is read again after a change and finds `hookline` although
 * it may be installed nowhere near. What it imports of its own project is watched, too.
 *
 * @throws HooklineError module_failed with the place in the module, where it is known
 */
export async function importModule(reference: ModuleReference, limit: Seconds = patience): Promise<Imported> {
  const path = resolveModule(reference);
  version += 1;
  const url = `${pathToFileURL(path).href}${isAlone ? "" : `?${mark}=${version}`}`;
  const files = new Set<string>([path]);
  filesByUrl.set(url, files);
  listen();
  try {
    const loaded: unknown = await within(import(url), limit);
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

/** @throws HooklineError module_failed */
export function resolveModule({ name, from }: ModuleReference): string {
  if (!isReadable(name, from)) {
    const reason = `${name}, or a package.json on its way, is no regular file or larger than a module is`;
    throw new HooklineError("module_failed", { reason, where: from, advice: "put the file itself there" });
  }
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

async function within<T>(work: Promise<T>, limit: Seconds): Promise<T> {
  let forget = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(notLoadedWithin(limit))), limit * 1000);
    forget = () => clearTimeout(timer);
  });
  return Promise.race([work, late]).finally(() => forget());
}

export const notLoadedWithin = (limit: Seconds): string => `it was not loaded within ${limit} s`;

const reasonOf = (error: unknown): string => messageOf(error).split("\n")[0] ?? "";

/** path:line:column, from the stack, which names the file with our mark; a sign below the line shows the column. */
function placeIn(error: unknown, path: string): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`${escaped}(?:\\?${mark}=\\d+)?:(\\d+)(?::(\\d+))?`).exec(stack);
  if (!found) return path;
  const column = found[2] ?? /\n( *)\^+\s*\n/.exec(stack)?.[1]?.length;
  return `${path}:${found[1]}${column === undefined ? "" : `:${Number(column) + (found[2] ? 0 : 1)}`}`;
}
