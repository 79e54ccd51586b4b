/** Starts `hookline worker` in a process of its own, as people do. */
import { type ChildProcess, spawn } from "node:child_process";
import type { TestContext } from "node:test";
import { bin } from "../program.ts";
import type { Machine } from "./machine.ts";

export interface Command {
  child: ChildProcess;
  /** What it has said so far, on both streams. */
  said(): string;
  ended: Promise<number | null>;
}

export interface WorkerCommand {
  /** Of another build; default: this one. */
  bin?: string;
  words: readonly string[];
}

/** Resolves once it says that it works; rejects with what it said where it ends before. Killed at the end of the test. */
export function startWorker(
  context: Pick<TestContext, "after">,
  { workspace: cwd, environment: env }: Pick<Machine, "workspace" | "environment">,
  { bin: program = bin, words }: WorkerCommand,
): Promise<Command> {
  const child = spawn(process.execPath, [program, "worker", ...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  context.after(() => void child.kill("SIGKILL"));
  let said = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const command: Command = { child, said: () => said, ended };
  return new Promise((resolve, reject) => {
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${said}`)));
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (/Hookline .* works for/.test(said)) resolve(command);
      });
  });
}
