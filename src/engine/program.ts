/** A program that a hook runs: what it is given, how it ended, the port that starts it, and the script that its line names. */
export interface Command {
  program: string;
  args: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
  input: string;
  /** Stands in the environment of its whole tree, so that others find it when this process is gone. */
  mark?: string;
  /** The user that it runs as; absent: ours. Only root can run others. */
  user?: { uid: number; gid: number };
  /** The mode bits that its files are made without; absent: ours. */
  umask?: number;
}

export interface Ended {
  /** exit: by itself. aborted: by the signal. output: over the limit. launch: never started, or what ran is not what was meant. detached: goes on alone. */
  how: "exit" | "aborted" | "output" | "launch" | "detached";
  code?: number;
  /** The signal that ended it. */
  signal?: string;
  stdout: string;
  stderr: string;
  /** Why, where `how` alone does not say. */
  reason?: string;
  /** Bytes of output that were not kept. */
  dropped: number;
  containment: string;
  /** Processes of its tree that were seen alive and could not be ended. */
  survivors: number;
  /** Processes that it had left in the background and that were ended after its own exit. */
  leftovers?: number;
  /** The rest of a detached program. */
  rest?: Detached;
}

/** The end of a program that was never started. */
export const notStarted = (reason: string): Ended => ({
  ...{ how: "launch", reason, stdout: "", stderr: "" },
  ...{ dropped: 0, containment: "none", survivors: 0 },
});

/** An end whose answer does not count: what it printed stays, for people. */
export const withoutAnswer = (
  { code: _code, signal: _signal, rest: _rest, ...ended }: Ended,
  reason: string,
): Ended => ({
  ...ended,
  how: "launch",
  reason,
});

export interface Detached {
  pid: number;
  /** Resolves when the program has ended, as long as this process lives. */
  done: Promise<Ended>;
  /** Ends its tree; `done` then says "aborted". The signal that it was started with no longer does. */
  end(): void;
  /**
   * Lets go of it, so that this process may end first; gives what a supervisor needs. The streams are handed over
   * as `stdio` of the supervisor in the same tick, else what is read meanwhile is lost.
   */
  release(): {
    pid: number /** Stands in the environment of its whole tree. */;
    tag: string;
    stdout: unknown;
    stderr: unknown;
  };
}

export interface SpawnOptions {
  signal: AbortSignal;
  /** Asked with the first line of stdout; before its line break too, where it may be one that never gets any. */
  detaches?: (line: string) => boolean;
  /** What becomes of processes that it leaves in its group when it ends by itself; default: ended (SAFETY F3). */
  leftovers?: "end" | "keep";
  /** Kept of each stream, half from its head and half from its tail; default: 1 MiB. */
  keptInBytes?: number;
}

/** Runs a program and settles when it and its drain are over (R54). Never rejects: a failure is an Ended. */
export type Spawn = (command: Command, options: SpawnOptions) => Promise<Ended>;

/** A program that stays and is spoken to, such as a language server or a tool server. */
export interface PipedProcess {
  readonly pid: number;
  write(text: string | Uint8Array): void;
  onOutput(listener: (chunk: Uint8Array) => void): void;
  /** The end of what it said on stderr, for messages. */
  complaints(): string;
  /** Hears what it says on stderr. */
  onComplaint(listener: (said: string) => void): void;
  /** Resolves when it has ended, by itself or on request, with a sentence that says how. */
  readonly ended: Promise<string>;
  /** Whether it keeps this process alive, where that can be chosen; it does until this is called. */
  keeps(isNeeded: boolean): void;
  /** Ends its whole tree; resolves when that is done. Safe to call twice. */
  end(): Promise<void>;
}

/** Rejects with an Error whose message says why the program could not be started. */
export type StartPipedProcess = (command: Omit<Command, "input">) => Promise<PipedProcess>;

/** Which script a command line names, as far as its text shows. Apart because `check` looks for it and a run chooses its folder by it. */

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
  const [first, ...rest] = fromProgram(command, args);
  const interpreter = first?.replace(/^.*\//, "") ?? "";
  const written = interpreters.test(interpreter) ? operandOf(rest, shells.test(interpreter)) : first;
  if (!written?.includes("/") || written.startsWith("-")) return undefined;
  return { written, ...(interpreters.test(interpreter) ? { interpreter } : {}) };
}

function fromProgram(command: string, args: readonly string[] | undefined): string[] {
  const all = args ? [command, ...args] : wordsOf(command);
  const start = all.findIndex((one) => !/^[A-Za-z_]\w*=/.test(one) && !prefixes.has(one));
  return start < 0 ? [] : all.slice(start);
}

/** The shells' own words, which no PATH leads to. */
const shellWords: ReadonlySet<string> = new Set(
  "! . : [ [[ alias bg bind break builtin caller case cd command continue coproc declare dirs disown echo enable eval exec exit export false fc fg for function getopts hash help history if jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset until wait while {".split(
    " ",
  ),
);

/** The plain name of the program that the line begins with; undefined where it is a path, a shell's own word, or not clear. */
export function programName(command: string, args?: readonly string[]): string | undefined {
  const [first = ""] = fromProgram(command, args);
  const isPlain = /^[A-Za-z0-9][\w.+-]*$/.test(first);
  if (!isPlain || (!args && (shellWords.has(first) || /\w\s*\(\s*\)/.test(command)))) return undefined;
  return first;
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

/** As a shell would take it for one word, so that a person sees where it ends, and can paste it. */
export const word = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
