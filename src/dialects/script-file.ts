/** Which script a hook's command runs, as far as reading the line tells: for findings, never for running. */
import { isAbsolute, join } from "node:path";
import type { Hook } from "../core/hook.ts";

export interface Places {
  cwd: string;
  home: string;
}
export interface Script {
  /** As it stands in the command. */
  written: string;
  path: string;
  /** The program that reads it; without one it is run itself and needs the execute bit. */
  interpreter?: string;
}

const interpreters = /^(?:bash|sh|dash|zsh|fish|node|bun|deno|tsx|python3?|ruby|perl|php|pwsh|powershell)$/;

/** Undefined where the program is a plain command name, or the line is not clear without running it. */
export function scriptOf(hook: Hook, places: Places): Script | undefined {
  const { command, args } = hook.steps[0].with;
  if (typeof command !== "string") return undefined;
  const direct = Array.isArray(args) ? [command, ...args.map(String)] : wordsOf(command);
  const start = direct.findIndex((one) => !/^[A-Za-z_]\w*=/.test(one));
  const words = start === -1 ? [] : direct.slice(start);
  const program = words[0]?.replace(/^.*\//, "") ?? "";
  const runs = interpreters.test(program) ? words.slice(1).find((one) => one !== "run") : words[0];
  if (runs === undefined || runs.startsWith("-")) return undefined;
  const path = resolvePath(runs, hook, places);
  if (!path) return undefined;
  return { written: runs, path, ...(interpreters.test(program) ? { interpreter: program } : {}) };
}

/** The words of the first simple command, quotes taken off; a word with a substitution ends it. */
function wordsOf(command: string): string[] {
  const words: string[] = [];
  const word = /\s*((?:"(?:[^"\\`]|\\.)*"|'[^']*'|\\.|\$\{[^}]*\}|[^\s"'\\;&|<>()`])+)/y;
  for (let found = word.exec(command); found; found = word.exec(command)) words.push(unquote(found[1] ?? ""));
  return words;
}

const unquote = (word: string): string =>
  word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_all, double, single) => double ?? single);

function resolvePath(written: string, { origin }: Hook, { home, cwd }: Places): string | undefined {
  const project = origin.root ?? cwd;
  const known: Readonly<Record<string, string | undefined>> = {
    CLAUDE_PROJECT_DIR: project,
    GEN_PROJECT_DIR: project,
    HOOKLINE_PROJECT_DIR: project,
    CLAUDE_PLUGIN_ROOT: origin.plugin,
    GEN_PLUGIN_ROOT: origin.plugin,
    HOME: home,
    PWD: project,
  };
  const filled = written
    .replace(/^~(?=\/)/, home)
    .replace(
      /\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}|\$([A-Za-z_]\w*)/g,
      (all, braced, plain) => known[braced ?? plain] ?? all,
    );
  if (/[$*?`]/.test(filled) || !filled.includes("/")) return undefined;
  if (isAbsolute(filled)) return filled;
  return origin.root || origin.plugin ? join(origin.root ?? origin.plugin ?? cwd, filled) : undefined;
}
