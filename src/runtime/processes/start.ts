/**
 * Starts one program in a session of its own by forking this process, which is what a process that ends soon uses and what
 * always works; and puts every way of not starting into a sentence.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Duplex, Readable, Writable } from "node:stream";
import { messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";
import { type Command, word } from "../../engine/program.ts";
import { createTree, pause, type Tree } from "./tree.ts";

/** What the supervision knows of a program that runs, and how it hears of it: the same for both ways to start it. */
export interface Started {
  pid: number;
  tree: Tree;
  /** Resolves when its input is written, or the program no longer reads it. */
  fed: Promise<void>;
  /** Of one that is spoken to. */
  input: OpenInput;
  /** Resolves when all has been reported that had happened to it before. Absent: no helper stands between it and us. */
  catchUp?(): Promise<void>;
  /** Whether it keeps this process alive. Absent: it always does. */
  keeps?(isNeeded: boolean): void;
  /** Closes our ends of its streams. */
  stopReading(): void;
  /** Lets go of it: see Detached in engine/program.ts. */
  release(): { stdout: unknown; stderr: unknown };
}

/** What goes to a program as long as it runs. Never throws. */
export interface OpenInput {
  write(bytes: Uint8Array): void;
  end(): void;
  /** Bytes that the program has not taken yet. */
  unread(): number;
}

/** Told in this order, output until `closed`, and nothing before the start is answered that could not be told after it. */
export interface Hearing {
  output(stream: "stdout" | "stderr", chunk: Uint8Array): void;
  exit(end: ProgramEnd): void;
  /** It has ended, and so have its streams. */
  closed(): void;
  /** Its fate can no longer be known. */
  lost(reason: string): void;
}

export interface ProgramEnd {
  code?: number;
  signal?: string;
  /** Nothing was left of its process group when it had ended. Absent: not known. */
  isGroupGone?: boolean;
}

/** Starts the program, in a session of its own, and feeds it. Never rejects; the reason is a sentence for people. */
export type StartProgram = (order: Order, hearing: Hearing) => Promise<Started | { reason: string }>;

export interface Order {
  command: Command;
  /** The command's own, with the tag in it. */
  environment: Record<string, string>;
  tag: string;
  /** Resolves when its caller no longer waits for it. */
  over: Promise<unknown>;
  /** It is spoken to: its input stays open behind that of the command, until `Started.input` ends it. */
  isOpen?: true;
  /** It is spoken to over descriptor 3, and what it prints is told as its stderr. For children of this process only. */
  isApart?: true;
}

interface Child {
  child: ChildProcess;
  pid: number;
}
/** What the system said: a code such as ENOENT, and a message for those that have no sentence here. */
export interface Refusal {
  code?: string | undefined;
  message: string;
}

/** Passing troubles: another process is still writing the file, or the process table is full. */
const worthAnotherTry: ReadonlySet<string> = new Set(["ETXTBSY", "EAGAIN"]);

/** Tries once more where that helps; a refusal becomes a sentence. Never rejects if the attempt does not. */
export async function startWith<T extends object>(
  attempt: () => Promise<T | { refusal: Refusal }>,
  command: Command,
): Promise<T | { reason: string }> {
  let started = await attempt();
  if ("refusal" in started && worthAnotherTry.has(started.refusal.code ?? "")) {
    await pause(0.1);
    started = await attempt();
  }
  return "refusal" in started ? { reason: reasonFor(started.refusal, command) } : started;
}

async function tryToStart({ command, environment, isApart }: Order): Promise<Child | { refusal: Refusal }> {
  const { spawn } = process.getBuiltinModule("node:child_process"); // costs 3 ms, which a run without a program need not pay
  try {
    const child = withUmask(command.umask, () =>
      spawn(command.program, command.args, {
        cwd: command.cwd,
        env: environment,
        stdio: isApart ? ["ignore", "pipe", "pipe", "pipe"] : "pipe",
        detached: process.platform !== "win32", // there it would open a window
        windowsHide: true,
        ...(command.user ?? {}),
      }),
    );
    const failed = Promise.withResolvers<NodeJS.ErrnoException>();
    child.on("error", failed.resolve); // stays, so that a late error cannot end this process
    return child.pid === undefined ? { refusal: await failed.promise } : { child, pid: child.pid };
  } catch (error) {
    return { refusal: error instanceof Error ? error : { message: messageOf(error) } };
  }
}

/** A program begins with this process's own: nothing else is done while it is another one. */
function withUmask<T>(umask: number | undefined, work: () => T): T {
  if (umask === undefined || process.platform === "win32") return work();
  const own = process.umask(umask);
  try {
    return work();
  } finally {
    process.umask(own);
  }
}

const sentences: Readonly<Record<string, (program: string) => string>> = {
  EACCES: (program) => `${program} may not be executed: chmod +x ${word(program)}`,
  EPERM: (program) => `${program} may not be executed by this user`,
  ENOEXEC: (program) => `${program} is neither a program nor a script with a #! line`,
  E2BIG: (program) => `the arguments and the environment of ${program} are too large`,
  ETXTBSY: (program) => `${program} is being written by another process`,
  EAGAIN: (program) => `${program} cannot start: too many processes`,
  ENOMEM: (program) => `${program} cannot start: not enough memory`,
  EMFILE: (program) => `${program} cannot start: too many open files in this process`,
  ENFILE: (program) => `${program} cannot start: too many open files on this machine`,
};

function reasonFor(refusal: Refusal, { program, cwd }: Command): string {
  const code = refusal.code ?? "";
  const sentence = code === "ENOENT" ? missing(program, cwd) : sentences[code]?.(program);
  return sentence === undefined ? refusal.message : `${sentence} (${code})`;
}

/** The system says the same for three different things. */
function missing(program: string, cwd: string): string {
  if (!existsSync(cwd)) return `the folder ${cwd} does not exist`;
  const isPath = isAbsolute(program) || program.includes("/");
  if (isPath && existsSync(resolve(cwd, program))) return `the interpreter in the #! line of ${program} was not found`;
  return `the program ${program} was not found`;
}

export const startChild: StartProgram = async (order, hearing) => {
  const started = await startWith(() => tryToStart(order), order.command);
  return "reason" in started ? started : attend(started, order, hearing);
};

function attend({ child, pid }: Child, { command, tag, isOpen, isApart }: Order, hearing: Hearing): Started {
  const tree = createTree(pid, tag);
  const apart = isApart ? (child.stdio[3] as Duplex) : undefined; // a pipe in both ways, as it was asked for
  const [input, output] = [apart ?? (child.stdin as Writable), apart ?? (child.stdout as Readable)]; // pipes, as asked for
  const streams = [input, output, child.stdout as Readable, child.stderr as Readable];
  for (const stream of streams) stream.on("error", ignored);
  for (const stream of new Set(streams.slice(1)))
    stream.on("data", (chunk: Buffer) => hearing.output(stream === output ? "stdout" : "stderr", chunk));
  apart?.once("close", () =>
    setTimeout(() => hearing.lost("it closed its line to Hookline"), lastWords * 1000).unref(),
  );
  child.once("exit", (code, signal) =>
    hearing.exit({ ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) }),
  );
  child.once("close", () => hearing.closed());
  return {
    pid,
    tree,
    fed: isOpen ? Promise.resolve() : feed(input, command.input),
    input: {
      write: (bytes) => void input.write(bytes),
      end: () => void input.end(),
      unread: () => input.writableLength,
    },
    keeps(isNeeded) {
      child.unref();
      for (const stream of streams) refer(stream, isNeeded && stream === output);
    },
    stopReading() {
      for (const stream of streams) stream.destroy();
    },
    release() {
      child.unref();
      for (const stream of streams) {
        stream.removeAllListeners("data");
        if (stream !== input) (stream as Readable).pause();
        refer(stream, false);
      }
      return { stdout: child.stdout, stderr: child.stderr };
    },
  };
}

/** From the end of its line to its own end, which says more. */
const lastWords: Seconds = 0.25;

/** Writes stdin and closes it. Resolves when that is over; who does not read is not waited for by anyone else (F7). */
function feed(stdin: Writable, input: string): Promise<void> {
  return new Promise((resolve) => {
    stdin.once("close", resolve);
    stdin.end(input, () => resolve());
  });
}

/** EPIPE and its kin: that a program did not read or write to its end says nothing about its answer. */
const ignored = (): void => {};

/** Whether a stream keeps this process alive. Streams of a child are sockets, though their type does not say so. */
function refer(stream: object, keeps: boolean): void {
  const own: unknown = Reflect.get(stream, keeps ? "ref" : "unref");
  if (typeof own === "function") own.call(stream);
}

/** Runs a program that takes over the person's terminal, such as an editor. Gives its exit code; undefined: it could not be started, or was ended by a signal. Never rejects. */
export function runInTerminal(
  program: string,
  args: readonly string[],
  { cwd, environment }: { cwd: string; environment: Readonly<Record<string, string>> },
): Promise<number | undefined> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...environment }, stdio: "inherit" });
    child.once("error", () => resolve(undefined));
    child.once("exit", (code) => resolve(code ?? undefined));
  });
}
