/** One script as a program: all that it says in one stream, its own time limit, and the exit code that is recorded (E39, E44a). */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Seconds } from "../../engine/event.ts";
import type { StepContext } from "../../engine/ports.ts";
import type { Command, Ended } from "../../engine/program.ts";
import type { Failure } from "../../engine/record.ts";
import { bytesOfNames, isPlainText } from "../../files/names.ts";
import { processNotes } from "../command/command.ts";
import { environmentOf, umaskOf } from "../command/environment.ts";
import { firstLine, signalNumber } from "../command/protocols/endings.ts";
import { plainText } from "../step.ts";

interface ScriptProgram {
  file: string;
  folder: string;
  environment: Record<string, string>;
  user?: Command["user"];
  limit: Seconds;
  /** It ends with the turn that it belongs to. */
  endsWithTurn: boolean;
}

export interface ScriptEnd {
  exitCode: number;
  /** Both streams, in the order in which they came. */
  printed: string;
  /** Absent: it passed. */
  failed?: { failure: Failure; reason: string };
  notes: string[];
  containment?: string;
}

/** Of each script, half from its head and half from its tail. */
const keptInBytes = 8 << 20;

/**
 * The shell joins the streams, closes the input and becomes the script. The script's name is an argument: whatever it
 * holds, it is no shell text.
 */
const joined = ["-c", 'exec "$0" 2>&1 </dev/null'] as const;

/** Ends within 1 s of its limit where its processes obey, within 3 s where not. Never rejects. */
export async function runScript(script: ScriptProgram, context: StepContext): Promise<ScriptEnd> {
  const { ports, caller, signal } = context;
  const { file, folder, environment, user, limit } = script;
  if (!ports.spawn) return notRun("nothing here can start programs");
  const own = new AbortController();
  let why: "limit" | "prompt" | undefined;
  const end = (because: typeof why): void => {
    why ??= because;
    own.abort();
  };
  const endWatch = script.endsWithTurn ? await watchTurn(context, () => end("prompt")) : () => {};
  const forgetLimit = ports.after(limit * 1000, () => end("limit"));
  const ended = await ports.spawn(
    {
      program: "/bin/sh",
      args: [...joined, file],
      cwd: folder,
      environment,
      input: "",
      ...umaskOf(caller),
      ...(user ? { user } : {}),
    },
    { signal: AbortSignal.any([signal, own.signal]), keptInBytes },
  );
  forgetLimit();
  endWatch();
  const late = why === "limit" ? `it did not end within ${limit} s` : undefined;
  const gone = why === "prompt" ? "the next prompt came" : "the caller gave up";
  return { ...read(ended, file, late, gone), notes: processNotes(ended), containment: ended.containment };
}

/** A script that could not be started at all. */
export const notRun = (reason: string): ScriptEnd => ({
  exitCode: otherError,
  printed: `[hookline: ${reason}]\n`,
  failed: { failure: "launch", reason },
  notes: [],
});

const [timedOut, otherError, notStarted] = [124, 126, 127];

type Reading = Omit<ScriptEnd, "notes" | "containment">;

function read(ended: Ended, file: string, late: string | undefined, gone: string): Reading {
  const { how, code, signal, stdout } = ended;
  if (how === "aborted")
    return late === undefined
      ? { exitCode: otherError, printed: stdout, failed: { failure: "cancelled", reason: gone } }
      : failing(timedOut, "timeout", late, stdout);
  if (how === "launch") {
    const exitCode = existsSync(file) ? otherError : notStarted;
    return failing(exitCode, "launch", ended.reason ?? "it could not be started", stdout);
  }
  if (how === "output") return failing(otherError, "output", ended.reason ?? "it wrote too much", stdout);
  if (code === undefined)
    return failing(128 + (signalNumber(signal) ?? 0), "exit", `it was ended by ${signal ?? "a signal"}`, stdout);
  if (code === 0) return { exitCode: 0, printed: stdout };
  const launch = launchFault(code, stdout, file);
  if (launch !== undefined) return { exitCode: code, printed: stdout, failed: { failure: "launch", reason: launch } };
  const line = firstLine(plainText(stdout)).slice(0, 200);
  const reason = line === "" ? `exit ${code}` : `exit ${code}: ${line}`;
  return { exitCode: code, printed: stdout, failed: { failure: "exit", reason } };
}

/** What the script itself cannot have said stands behind what it did say. */
function failing(exitCode: number, failure: Failure, reason: string, printed: string): Reading {
  const gap = printed === "" || printed.endsWith("\n") ? "" : "\n";
  return { exitCode, printed: `${printed}${gap}[hookline: ${reason}]\n`, failed: { failure, reason } };
}

/** Why the shell could not become the script, or undefined: a script may itself end with 126 or 127. */
function launchFault(code: number, printed: string, file: string): string | undefined {
  if (code !== otherError && code !== notStarted) return undefined;
  const prefix = `${file}: `;
  if (!printed.startsWith(prefix)) return undefined;
  const said = printed.slice(prefix.length).replace(/^(?:line )?\d+: (?:exec: )?/, "");
  if (!said.startsWith(prefix)) return undefined;
  if (!existsSync(file)) return "it is no longer there";
  if (code === notStarted) return "the interpreter in its #! line was not found";
  return `it cannot be executed: ${firstLine(said.slice(prefix.length)).replace(/^cannot execute: /, "")}`;
}

const looksEvery = 100;

/**
 * Calls back when the session's turn has moved on; gives its undo. Nothing else shows a process that waits for a script
 * that the person has sent the next prompt (E22).
 */
async function watchTurn({ event, ports }: StepContext, moved: () => void): Promise<() => void> {
  const { session, turn } = event;
  if (session === undefined || !turn) return () => {};
  let isOver = false;
  let forget = (): void => {};
  const look = async (): Promise<void> => {
    const hasMoved = await hasMovedOn();
    if (isOver) return;
    if (hasMoved) moved();
    else forget = ports.after(looksEvery, look);
  };
  const hasMovedOn = async (): Promise<boolean> => {
    try {
      return (await ports.store.turn(session)).number > turn.number;
    } catch {
      return false; // a store that cannot be read now says nothing about the turn
    }
  };
  await look();
  return () => {
    isOver = true;
    forget();
  };
}

interface ScriptEnvironment {
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
function shellWord(name: string): string {
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
