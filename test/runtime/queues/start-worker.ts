/** Starts worker.ts in a process of its own, and waits for what it says and for what its steps write down. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundled } from "../../program.ts";
import type { WorkerOptions } from "./worker.ts";
import { logIn } from "./world.ts";

const program = fileURLToPath(new URL("./worker.ts", import.meta.url));

interface Said {
  ready?: true;
  begun?: string;
  performed?: string;
  lost?: boolean;
  stopping?: true;
  closed?: true;
}

export interface Worker {
  child: ChildProcessWithoutNullStreams;
  /** The first thing that it says, from the start or later, of which this is so. */
  says(what: (said: Said) => boolean): Promise<Said>;
  ended: Promise<unknown>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export const startWorker = (folder: string, options: WorkerOptions = {}): Promise<Worker> =>
  startSaying(bundled(program), [folder, JSON.stringify(options)]);

/** A program that says what it does, one line of JSON each, and first that it is ready. */
export async function startSaying(file: string, words: readonly string[]): Promise<Worker> {
  const child = spawn(process.execPath, [file, ...words]);
  child.stderr.pipe(process.stderr);
  const ended = once(child, "close");
  const said: Said[] = [];
  const listening = new Set<() => void>();
  createInterface(child.stdout).on("line", (line) => {
    said.push(JSON.parse(line));
    for (const listen of listening) listen();
  });
  const worker: Worker = {
    child,
    ended,
    says: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = said.find(what);
          if (found) resolve(found);
        };
        listening.add(look);
        look();
        void ended.then(() => reject(new Error("the worker ended without a word of it")));
      }),
    async kill(signal = "SIGKILL") {
      child.kill(signal);
      await ended;
    },
  };
  await worker.says(({ ready }) => ready === true);
  return worker;
}

/** "begin RUN STEP PID" and "end …", in the order in which it happened. */
export const logged = (folder: string): string[][] =>
  existsSync(logIn(folder))
    ? readFileSync(logIn(folder), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" "))
    : [];

/** How often each step began, by "RUN STEP". */
export function beginnings(folder: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [what, run, step] of logged(folder))
    if (what === "begin") counts[`${run} ${step}`] = (counts[`${run} ${step}`] ?? 0) + 1;
  return counts;
}

/** Waits until a step has written this down. */
export async function whenLogged(folder: string, what: string, run: string, step: string): Promise<void> {
  const isThere = (): boolean => logged(folder).some((line) => line[0] === what && line[1] === run && line[2] === step);
  const watcher = watch(folder);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (isThere()) resolve();
    };
    watcher.on("change", look);
    look();
  });
  watcher.close();
}
