/** The files that a module consists of, found by reading it as text: nothing of it runs. Those of packages count, too. */
import { readFileSync, statSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
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
  const plain = specifier.startsWith("file:") ? pathOf(specifier) : specifier.replace(/[?#].*$/s, "");
  const direct = /^[./]/.test(plain) ? resolve(dirname(from), plain) : undefined;
  const found = direct !== undefined && isFile(direct) ? [direct] : [];
  try {
    const byRequire = createRequire(from).resolve(plain);
    if (isFile(byRequire) && !found.includes(byRequire)) found.push(byRequire);
  } catch {
    // not there: the import will say so
  }
  return found;
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

function textOf(path: string): string {
  try {
    return statSync(path).size > largestInBytes ? "" : readFileSync(path, "utf8");
  } catch {
    return ""; // its state says that it cannot be read
  }
}
