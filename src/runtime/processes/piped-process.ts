/** Child processes that stay and are spoken to over their pipes. They and all that they start end with us, or on request. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Seconds } from "../../engine/event.ts";
import type { PipedProcess, StartPipedProcess } from "../../engine/program.ts";
import { start } from "./start.ts";
import { createProcessTag, createTree, endTree, pause, type Tree, vanishes, withProcessTag } from "./tree.ts";

/** For going by itself once its stdin is closed; then TERM, and this long until KILL. */
const farewell: Seconds = 0.3;
const grace: Seconds = 1.5;
/** For what is still in its pipe when it has ended. */
const drain: Seconds = 0.25;
const complaintsKept = 4_000;
/** Written and not read by the program: beyond this it is stuck, and our memory is not its mailbox. */
const unreadLimitInBytes = 64 << 20;

export const startPipedProcess: StartPipedProcess = createStart();

/** All of them share one exit listener: with one each, Node would warn from the eleventh on. */
function createStart(): StartPipedProcess {
  const living = new Set<Tree>();
  const killAll = (): void => {
    for (const tree of living) tree.kill(); // a crash of ours must not leave servers behind
  };
  const watch = (tree: Tree): void => {
    if (living.size === 0) process.on("exit", killAll);
    living.add(tree);
  };
  const forget = (tree: Tree): void => {
    living.delete(tree);
    if (living.size === 0) process.removeListener("exit", killAll);
  };
  return async (command) => {
    const tag = createProcessTag();
    const started = await start({ ...command, input: "" }, withProcessTag(command, tag));
    if ("reason" in started) throw new Error(started.reason);
    const tree = createTree(started.pid, tag);
    watch(tree);
    return accompany(started.child, started.pid, tree, () => forget(tree));
  };
}

function accompany(child: ChildProcessWithoutNullStreams, pid: number, tree: Tree, forget: () => void): PipedProcess {
  const streams = [child.stdin, child.stdout, child.stderr];
  let complaints = "";
  let stuck: string | undefined;
  let ending: Promise<void> | undefined;

  child.stderr.setEncoding("utf8").on("data", (said: string) => {
    complaints = (complaints + said).slice(-complaintsKept);
  });
  for (const stream of streams) stream.on("error", ignored);

  const exit = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve(signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`),
    );
  });
  const silent = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const ended = exit.then(async (how) => {
    await Promise.race([silent, pause(drain)]); // its last words count
    void end(); // what it leaves behind ends with it
    return stuck ?? how;
  });

  function end(): Promise<void> {
    ending ??= endAll();
    return ending;
  }

  async function endAll(): Promise<void> {
    child.stdin.end();
    const isGone = await vanishes(tree, farewell);
    if (!isGone || tree.find().length > 0) await endTree(tree, grace); // who left its group is seen only by a walk
    for (const stream of streams) stream.destroy();
    forget();
  }

  return {
    pid,
    write(text) {
      child.stdin.write(text);
      if (stuck !== undefined || child.stdin.writableLength <= unreadLimitInBytes) return;
      stuck = `it did not read its input, ${unreadLimitInBytes} bytes of it, and was ended`;
      void end();
    },
    onOutput: (listener) => void child.stdout.on("data", listener),
    complaints: () => complaints.trim(),
    onComplaint: (listener) => void child.stderr.on("data", listener),
    ended,
    end,
  };
}

/** Its pipes break when it ends; `ended` tells that. */
const ignored = (): void => {};
