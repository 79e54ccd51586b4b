/** Where the script of a hook's command lies, as far as reading the line tells: for findings. */
import { isAbsolute, join } from "node:path";
import type { Hook } from "../core/hook.ts";
import { type ScriptWord, scriptWord } from "../core/script-word.ts";

export interface Places {
  cwd: string;
  home: string;
}
export interface CommandScript extends ScriptWord {
  path: string;
}

/** Undefined where the program is a plain command name, or the line is not clear without running it. */
export function commandScriptOf(hook: Hook, places: Places): CommandScript | undefined {
  const { command, args } = hook.steps[0].with;
  if (typeof command !== "string") return undefined;
  const word = scriptWord(command, Array.isArray(args) ? args.map(String) : undefined);
  const path = word && resolvePath(word.written, hook, places);
  return word && path ? { ...word, path } : undefined;
}

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
  if (/[$*?`]/.test(filled)) return undefined;
  if (isAbsolute(filled)) return filled;
  return origin.root || origin.plugin ? join(origin.root ?? origin.plugin ?? cwd, filled) : undefined;
}
