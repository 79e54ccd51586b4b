/** Which TypeScript checks a project: its own, wherever its version keeps the server. Apart because no other language needs this. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Fields } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularFileSync } from "../../files/regular-file.ts";

type Command = readonly [program: string, ...args: string[]];
interface Wanted {
  commands: readonly Command[];
  language: string;
  initialization?: Fields | undefined;
}

/**
 * Up to version 6, typescript-language-server drives the project's `tsserver.js`. From version 7 on there is none:
 * `tsc --lsp` is the server, and no other program can check as this project does.
 *
 * @param folders from the file's up to the project's, then those that other projects share
 */
export function preferTypeScript(
  { commands, language, initialization }: Wanted,
  folders: readonly string[],
): { commands: readonly Command[]; initialization: Fields } {
  const given = initialization ?? {};
  const isAsked = /^(typescript|javascript)/.test(language) && commands[0]?.[0] === "typescript-language-server";
  const modules = isAsked ? folders.map((folder) => join(folder, "node_modules")).find(hasTypeScript) : undefined;
  if (modules === undefined || given.tsserver !== undefined) return { commands, initialization: given };
  const library = join(modules, "typescript", "lib");
  if (existsSync(join(library, "tsserver.js")))
    return { commands, initialization: { ...given, tsserver: { path: library } } };
  if (majorVersion(join(modules, "typescript")) < 7) return { commands, initialization: given };
  return {
    commands: [[join(modules, "typescript", "bin", "tsc"), "--lsp", "--stdio"], ...commands],
    initialization: given,
  };
}

const hasTypeScript = (modules: string): boolean => existsSync(join(modules, "typescript", "package.json"));

const largestDescriptionInBytes = 1 << 20;

function majorVersion(folder: string): number {
  try {
    const read = readRegularFileSync(join(folder, "package.json"), largestDescriptionInBytes);
    const description: unknown = "text" in read ? JSON.parse(read.text) : undefined;
    return isRecord(description) ? Number.parseInt(String(description.version), 10) || 0 : 0;
  } catch {
    return 0; // half installed: the server says what it misses
  }
}
