/** Starts writer.ts in processes of its own and reads what they print. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundled } from "../program.ts";

const writer = fileURLToPath(new URL("./writer.ts", import.meta.url));

export interface Writer {
  child: ChildProcessWithoutNullStreams;
  /** The next line that it prints. */
  next(): Promise<unknown>;
  ended: Promise<unknown>;
}

export function startWriter(path: string, ...words: string[]): Writer {
  const child = spawn(process.execPath, [bundled(writer), path, ...words]);
  child.stderr.pipe(process.stderr);
  const lines: Interface = createInterface(child.stdout);
  const iterator = lines[Symbol.asyncIterator]();
  return {
    child,
    async next() {
      const { value, done } = await iterator.next();
      if (done) throw new Error("the process ended without a word");
      return JSON.parse(value);
    },
    ended: once(child, "close"),
  };
}
