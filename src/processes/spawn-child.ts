/** A program as a child of this process: what a process that ends soon uses, and what always works. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { start } from "./start.ts";
import type { Hearing, Order, Started, StartProgram } from "./started.ts";
import { createTree } from "./tree.ts";

export const startChild: StartProgram = async (order, hearing) => {
  const started = await start(order.command, order.environment);
  return "reason" in started ? started : attend(started, order, hearing);
};

function attend(
  { child, pid }: { child: ChildProcessWithoutNullStreams; pid: number },
  { command, cookie }: Order,
  hearing: Hearing,
): Started {
  const tree = createTree(pid, cookie);
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (chunk: Buffer) => hearing.output(stream, chunk)).on("error", ignored);
  }
  child.once("exit", (code, signal) =>
    hearing.exit({ ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) }),
  );
  child.once("close", () => hearing.closed());
  return {
    pid,
    tree,
    fed: feed(child, command.input),
    stopReading() {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
    release() {
      child.unref();
      for (const stream of [child.stdout, child.stderr]) {
        stream.removeAllListeners("data");
        stream.pause();
        unref(stream);
      }
      unref(child.stdin);
      return { stdout: child.stdout, stderr: child.stderr };
    },
  };
}

/** Writes stdin and closes it. Resolves when that is over; who does not read is not waited for by anyone else (F7). */
function feed(child: ChildProcessWithoutNullStreams, input: string): Promise<void> {
  return new Promise((resolve) => {
    child.stdin.on("error", ignored);
    child.stdin.once("close", resolve);
    child.stdin.end(input, () => resolve());
  });
}

/** EPIPE and its kin: that a program did not read or write to its end says nothing about its answer. */
const ignored = (): void => {};

/** Streams of a child are sockets, though their type does not say so. */
function unref(stream: object): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}
