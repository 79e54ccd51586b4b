/** Which script a command line names, as far as reading it tells. Apart because `check` looks for it and a run chooses its folder by it. */

export interface ScriptWord {
  /** As it stands in the command, quotes taken off; variables are not filled in. */
  written: string;
  /** The program that reads it; without one it is run itself and needs the execute bit. */
  interpreter?: string;
}

const shells = /^(?:bash|sh|dash|zsh|fish)$/;
const interpreters = /^(?:bash|sh|dash|zsh|fish|node|bun|deno|tsx|python3?|ruby|perl|php|pwsh|powershell)$/;
/** They run the words behind them. */
const prefixes: ReadonlySet<string> = new Set(["exec", "command", "env", "time", "nohup"]);

/** Undefined where the program is a plain command name, or the line is not clear without running it. */
export function scriptWord(command: string, args?: readonly string[]): ScriptWord | undefined {
  const all = args ? [command, ...args] : wordsOf(command);
  const start = all.findIndex((one) => !/^[A-Za-z_]\w*=/.test(one) && !prefixes.has(one));
  const [first, ...rest] = start < 0 ? [] : all.slice(start);
  const interpreter = first?.replace(/^.*\//, "") ?? "";
  const written = interpreters.test(interpreter) ? operandOf(rest, shells.test(interpreter)) : first;
  if (!written?.includes("/") || written.startsWith("-")) return undefined;
  return { written, ...(interpreters.test(interpreter) ? { interpreter } : {}) };
}

/** Options that hold code, name a module or take a value make unclear which word is the script. */
const unclear = {
  shell: /^[-+]\w*[cosO]|^--(?:rcfile|init-file)$/,
  other: /^-\w*[cemprEIWX]|^--(?!.*=)(?!no-|experimental-)/,
};

/** The first word that is no option. */
function operandOf(words: readonly string[], ofShell: boolean): string | undefined {
  for (const word of words) {
    if (!/^[-+]/.test(word)) {
      if (word !== "run") return word;
    } else if (unclear[ofShell ? "shell" : "other"].test(word)) return undefined;
  }
  return undefined;
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
