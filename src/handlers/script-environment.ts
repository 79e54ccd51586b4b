/** What a script finds in its environment beside what commands find there: pairs under both names, and the changed files (R19, E20, E44). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StepContext } from "../core/ports.ts";
import { bytesOfNames, isPlainText } from "../files/names.ts";
import { environmentOf } from "./command-environment.ts";

export interface ScriptEnvironment {
  variables: Record<string, string>;
  /** Names that the variable has no room for, or cannot hold. */
  leftOut: number;
  /** Removes the file of names. */
  end(): void;
}

/**
 * @param names of the changed files, for scripts that are run for files
 * @throws Error what the file system says, where they cannot be written down
 */
export function scriptEnvironment(
  type: string,
  folder: string,
  names: readonly string[] | undefined,
  context: StepContext,
): ScriptEnvironment {
  const common = {
    SESSION_ID: context.event.session,
    WORKSPACE: folder,
    HOOK_TYPE: type,
  };
  const inherited = environmentOf({}, context);
  if (!names) return { variables: { ...inherited, ...pairs(common) }, leftOut: 0, end() {} };
  const { value, leftOut } = listed(names);
  const listing = writeList(names);
  const changed = {
    CHANGED_FILES: value,
    CHANGED_FILES_0: listing.file,
    CHANGED_FILES_TRUNCATED: leftOut > 0 ? String(leftOut) : undefined,
  };
  return { variables: { ...inherited, ...pairs({ ...common, ...changed }) }, leftOut, end: listing.end };
}

/** Scripts may have been written for either name. */
function pairs(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) for (const prefix of prefixes) named[prefix + name] = value;
  return named;
}
const prefixes = ["HOOKLINE_", "DISCOBOT_"] as const;

/** What Linux takes of one variable, its name and the NUL at its end included. */
const longestVariable = 128 * 1024 - "HOOKLINE_CHANGED_FILES=".length - 1;

/** Separated by blanks, words for a shell; cut between two names where there are too many. Node gives texts alone as variables. */
function listed(names: readonly string[]): { value: string; leftOut: number } {
  let size = 0;
  const words: string[] = [];
  for (const name of names.filter(isPlainText)) {
    const word = shellWord(name);
    size += Buffer.byteLength(word) + 1;
    if (size - 1 > longestVariable) break;
    words.push(word);
  }
  return { value: words.join(" "), leftOut: names.length - words.length };
}

/** Blanks, quotes, globs, backslashes, control characters, and what a shell that evaluates the names would act on. */
const needsQuotes = /[ \p{Cc}'"`\\*?[\]{}$;&|<>()!#~]/u;

/** The name as a shell reads it back; one that begins with - is no option. */
export function shellWord(name: string): string {
  const path = name.startsWith("-") ? `./${name}` : name;
  return needsQuotes.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : path;
}

/** All names as they are, with a NUL behind each. */
function writeList(names: readonly string[]): { file: string; end(): void } {
  const folder = mkdtempSync(join(tmpdir(), "hookline-"));
  const file = join(folder, "changed-files");
  const end = (): void => {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // What came of the script counts; the system clears its temporary folder some day.
    }
  };
  try {
    writeFileSync(file, bytesOfNames(names.map((name) => `${name}\0`).join("")), { mode: 0o600 });
  } catch (error) {
    end();
    throw error;
  }
  return { file, end };
}
