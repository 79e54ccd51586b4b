/** Starts one program in a session of its own by forking this process, and puts every way of not starting into a sentence. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { messageOf } from "../core/error.ts";
import type { Command } from "../core/program.ts";
import { pause } from "./tree.ts";

interface Child {
  child: ChildProcessWithoutNullStreams;
  pid: number;
}
/** What the system said: a code such as ENOENT, and a message for those that have no sentence here. */
export interface Refusal {
  code?: string | undefined;
  message: string;
}

/** Passing troubles: another process is still writing the file, or the process table is full. */
const worthAnotherTry: ReadonlySet<string> = new Set(["ETXTBSY", "EAGAIN"]);

/** Never rejects. */
export const start = (command: Command, environment: Record<string, string>): Promise<Child | { reason: string }> =>
  startWith(() => tryToStart(command, environment), command);

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

async function tryToStart(
  command: Command,
  environment: Record<string, string>,
): Promise<Child | { refusal: Refusal }> {
  const { spawn } = process.getBuiltinModule("node:child_process"); // costs 3 ms, which a run without a program need not pay
  try {
    const child = withUmask(command.umask, () =>
      spawn(command.program, command.args, {
        cwd: command.cwd,
        env: environment,
        stdio: "pipe",
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
  EACCES: (program) => `${program} may not be executed: chmod +x ${program}`,
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
