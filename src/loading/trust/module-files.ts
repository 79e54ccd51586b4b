/** The files that a module consists of, found by reading it as text: nothing of it runs. Those of packages count, too. */
import { statSync } from "node:fs";
import { createRequire, findPackageJSON, isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isRecord } from "../../engine/schema.ts";
import { isFolder } from "../../files/paths.ts";
import { textAt } from "../../files/regular-file.ts";
import type { ModulePlace } from "../places.ts";

/** More than a module of hooks has; what lies beyond is refused when the module is read. */
const mostFiles = 2_000;
const largestInBytes = 16 << 20;

/** Import, export, require and import() with a plain text. In a comment it counts as well: a file too many does no harm. */
const imports = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*(?:\.resolve)?\s*\(\s*)(["'`])((?:(?!\1)[^\\\n]|\\.)+)\1/g;

/** Absolute paths, the module's own first. */
export function filesOfModule({ name, from }: Pick<ModulePlace, "name" | "from">): string[] {
  const first = resolved(name, from);
  const found = new Set<string>(first.length > 0 ? first : [resolve(dirname(from), name)]);
  for (const file of found) {
    if (found.size > mostFiles) break;
    for (const [, , specifier = ""] of textOf(file).matchAll(imports))
      for (const path of resolved(specifier, file)) found.add(path);
  }
  return [...found];
}

/** Each file that the specifier may mean: for `import` and for `require`. */
function resolved(specifier: string, from: string): string[] {
  if (isBuiltin(specifier) || specifier === "hookline" || /^(?:data|https?):/.test(specifier)) return [];
  const plain = specifier.startsWith("file:") ? pathOf(specifier) : specifier.replace(/(?<=.)[?#].*$/s, "");
  const direct = /^[./]/.test(plain) ? resolve(dirname(from), plain) : undefined;
  const found = direct !== undefined && isFile(direct) ? [direct] : [];
  if (!isReadable(plain, from)) return found;
  try {
    const byRequire = createRequire(from).resolve(plain);
    if (isFile(byRequire) && !found.includes(byRequire)) found.push(byRequire);
  } catch {
    // not there: the import will say so
  }
  const others = direct === undefined ? inPackage(plain, from).filter((path) => !found.includes(path)) : [];
  return [...found, ...others];
}

/** Node reads each description of a package on its way, and would wait for a pipe and read a device without end. */
export function isReadable(specifier: string, from: string): boolean {
  const direct = /^[./]/.test(specifier) ? resolve(dirname(from), specifier) : undefined;
  const [, name] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? [];
  const described = direct === undefined ? [] : [direct];
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    described.push(folder);
    if (direct === undefined && name !== undefined) described.push(join(folder, "node_modules", name));
    if (dirname(folder) === folder) break;
  }
  const own = direct === undefined || isFolder(direct) ? [] : [direct];
  return [...own, ...described.map((folder) => join(folder, "package.json"))].every(isAbsentOrText);
}

function isAbsentOrText(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined || (found.isFile() && textAt(path, largestInBytes) !== undefined);
  } catch {
    return false;
  }
}

/** What a package gives under this name, under whatever condition: `import` may be given another file than `require`. */
function inPackage(specifier: string, from: string): string[] {
  try {
    const isOwn = specifier.startsWith("#");
    const file = isOwn ? findPackageJSON(pathToFileURL(from)) : findPackageJSON(specifier, pathToFileURL(from));
    const content: unknown = file === undefined ? undefined : JSON.parse(textAt(file) ?? "null");
    if (file === undefined || !isRecord(content)) return [];
    const [, below = ""] = /^(?:@[^/]+\/)?[^/]+(.*)$/.exec(specifier) ?? [];
    const wanted = isOwn ? specifier : `.${below}`;
    const said = isOwn ? content.imports : content.exports;
    const named = isRecord(said) && Object.keys(said).some((key) => /^[.#]/.test(key)) ? said : { ".": said };
    const targets = Object.entries(named).flatMap(([name, target]) => targetsIn(target, name, wanted));
    return targets
      .filter((target) => target.startsWith("."))
      .map((target) => resolve(dirname(file), target))
      .filter(isFile);
  } catch {
    return []; // there is no such package
  }
}

/** The texts in a target, if its name is the wanted one. */
function targetsIn(target: unknown, name: string, wanted: string): string[] {
  const [before = "", after] = name.split("*");
  const isMatch = after === undefined ? name === wanted : wanted.startsWith(before) && wanted.endsWith(after);
  if (!isMatch) return [];
  const filled = wanted.slice(before.length, wanted.length - (after?.length ?? 0));
  const texts = (one: unknown): string[] =>
    typeof one === "string"
      ? [one.replaceAll("*", filled)]
      : isRecord(one) || Array.isArray(one)
        ? Object.values(one).flatMap(texts)
        : [];
  return texts(target);
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

const textOf = (path: string): string => textAt(path, largestInBytes) ?? ""; // its state says that it cannot be read
