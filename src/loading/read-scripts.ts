/** Finds the workspace scripts of a folder and reads each one's beginning; what looks like one and is none is told of (R33). */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Origin, Problem } from "../engine/hook.ts";
import type { compileScript } from "../formats/scripts/script.ts";
import type { distinctSlugs } from "../formats/scripts/slug.ts";
import { keep, keepUnreadable, originOf, unreadable } from "./file-source.ts";
import type { HookFile } from "./places.ts";
import { readFileHead } from "./read-file.ts";
import type { ReadRules, RulesReader } from "./read-rules.ts";
import { fileAt, type RulePlace } from "./rule-places.ts";

/** Given by whoever loads it: most projects have no scripts, and front matters need the YAML library. */
export interface ScriptDialect {
  compileScript: typeof compileScript;
  headInBytes: number;
  distinctSlugs: typeof distinctSlugs;
}

/** More than any project has: a folder of something else has come into the place of scripts. */
const mostFiles = 1_000;

/** Never throws. A folder that leads to one that was read gives nothing: its scripts run once. */
export function readScripts(place: RulePlace, reader: RulesReader | undefined, read: ReadRules): void {
  const seen = new Set<string>();
  for (const folder of place.scripts) {
    const names = namesIn(folder, seen, read);
    for (const name of names.slice(0, mostFiles)) {
      const file = fileAt(join(folder, name), "script", place);
      readScript(place.worktree === undefined ? file : { ...file, root: place.worktree }, reader, read);
    }
    if (names.length > mostFiles)
      read.problems.push(unreadable(folder, `it holds more than ${mostFiles} files, and the others are not looked at`));
  }
}

function namesIn(folder: string, seen: Set<string>, read: ReadRules): string[] {
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found) return [];
    const identity = `${found.dev}:${found.ino}`;
    if (found.ino !== 0 && seen.has(identity)) return [];
    seen.add(identity);
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch (error) {
    read.problems.push(unreadable(folder, error));
    return [];
  }
}

/** One file: a script, or something that lies beside scripts. */
export function readScript(file: HookFile, reader: RulesReader | undefined, read: ReadRules): void {
  const { path, label } = file;
  read.watched.push(path);
  if (!reader) {
    read.unread.push(path);
    return;
  }
  const { compileScript, headInBytes } = reader.scripts;
  const found = readFileHead(path, headInBytes);
  if (found.is === "folder") return;
  if (found.is !== "read") {
    const reason = found.is === "absent" ? "it does not exist, or its name is no UTF-8" : found.reason;
    keepUnreadable(file, reason, read);
    return;
  }
  if (isCopy(path)) {
    read.problems.push(copy(path));
    return;
  }
  const facts = {
    isCut: found.isCut,
    ...(reader.platform === "win32" ? {} : { isExecutable: isExecutable(found.mode) }),
  };
  const origin: Origin = { ...originOf(file), dialect: "script" };
  const { isOther, ...compiled } = compileScript(found.text, facts, origin, {
    label,
    family: /[/\\]\.discobot[/\\]hooks[/\\][^/\\]+$/.test(path) ? "discobot" : "hookline",
    patterns: reader.patterns,
  });
  if (!isOther) keep(file, compiled, read);
}

const isExecutable = (mode: number): boolean => (mode & 0o111) !== 0;

/** What editors and merges leave beside a file has its front matter and its execute bit, too. */
const isCopy = (path: string): boolean => /(~|\.(bak|orig|rej|tmp|swp))$|[/\\]#[^/\\]*#$/.test(path);

const copy = (file: string): Problem => ({
  severity: "note",
  code: "shape",
  message: "it looks like a copy that an editor or a merge has left, so it is no hook",
  suggestion: "remove it, or give it another name",
  file,
  line: 1,
  column: 1,
});
