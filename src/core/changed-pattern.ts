/** Patterns of changed files (R12). Apart because a condition and a handler read them, and have to read them in one way. */
import { HooklineError } from "./error.ts";
import type { Patterns } from "./ports.ts";

/**
 * For paths from the root, with forward slashes. A glob without a slash means the base name, in any folder.
 *
 * @param where who has written them, for messages
 * @throws HooklineError pattern_invalid
 */
export function compileChangedPatterns(
  written: readonly string[],
  { glob }: Pick<Patterns, "glob">,
  where: string,
): (path: string) => boolean {
  const tests = written.map((source) => compileOne(source, glob, where));
  return (path) => tests.some((holds) => holds(path));
}

function compileOne(source: string, glob: Patterns["glob"], where: string): (path: string) => boolean {
  const pattern = source.trim().replace(/^(\.?\/)+/, "");
  if (pattern === "")
    throw new HooklineError("pattern_invalid", { pattern: source, reason: "it names no file", where });
  const holds = glob(pattern);
  return pattern.includes("/") ? holds : (path) => holds(path.slice(path.lastIndexOf("/") + 1));
}
