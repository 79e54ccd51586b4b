/** Child processes that stay and are spoken to over their pipes. They and all that they start end with us, or on request. */
import type { Seconds } from "../../engine/event.ts";
import type { PipedProcess, StartPipedProcess } from "../../engine/program.ts";
import { type Hearing, type Order, type ProgramEnd, type Started, type StartProgram, startChild } from "./start.ts";
import { createProcessTag, endTree, pause, type Tree, vanishes, withProcessTag } from "./tree.ts";

/** For going by itself once its stdin is closed; then TERM, and this long until KILL. */
const farewell: Seconds = 0.3;
const grace: Seconds = 1.5;
/** For what is still in its pipe when it has ended. */
const drain: Seconds = 0.25;
const complaintsKept = 4_000;
/** Written and not read by the program: beyond this it is stuck, and our memory is not its mailbox. */
const unreadLimitInBytes = 64 << 20;

/** All of them share one exit listener: with one each, Node would warn from the eleventh on. */
const living = createLiving();
function createLiving(): { add(tree: Tree): void; delete(tree: Tree): void } {
  const trees = new Set<Tree>();
  const killAll = (): void => {
    for (const tree of trees) tree.kill(); // a crash of ours must not leave servers behind
  };
  return {
    add(tree) {
      if (trees.size === 0) process.on("exit", killAll);
      trees.add(tree);
    },
    delete(tree) {
      trees.delete(tree);
      if (trees.size === 0) process.removeListener("exit", killAll);
    },
  };
}

/** @param start from the helper, which ends them also where this process is killed; or from this process */
export function createPipedStart(start: StartProgram, how: Pick<Order, "isApart"> = {}): StartPipedProcess {
  return async (given) => {
    const command = { ...given, input: "" };
    const tag = createProcessTag();
    const ear = createEar();
    const over = Promise.withResolvers<void>();
    const environment = withProcessTag(command, tag);
    const started = await start({ command, environment, tag, over: over.promise, isOpen: true, ...how }, ear.hearing);
    if ("reason" in started) throw new Error(started.reason);
    living.add(started.tree);
    return accompany(started, ear, () => {
      over.resolve();
      living.delete(started.tree);
    });
  };
}

export const startPipedProcess: StartPipedProcess = createPipedStart(startChild);

/** Spoken to over descriptor 3, so that nothing that it prints is taken for an answer. */
export const startApart: StartPipedProcess = createPipedStart(startChild, { isApart: true });

/** What is heard of it before anybody listens is kept. */
interface Ear {
  hearing: Hearing;
  exit: Promise<string>;
  silent: Promise<void>;
  onOutput(listener: (chunk: Uint8Array) => void): void;
  onComplaint(listener: (said: string) => void): void;
  complaints(): string;
}

function createEar(): Ear {
  const outputs: ((chunk: Uint8Array) => void)[] = [];
  const hearers: ((said: string) => void)[] = [];
  const decoder = new TextDecoder();
  const exit = Promise.withResolvers<string>();
  const silent = Promise.withResolvers<void>();
  let early: Uint8Array[] = [];
  let complaints = "";
  return {
    hearing: {
      output(stream, chunk) {
        if (stream === "stdout") {
          const kept = Buffer.from(chunk); // what comes from the helper is its own only for this moment
          if (outputs.length === 0) early.push(kept);
          for (const listener of outputs) listener(kept);
          return;
        }
        const said = decoder.decode(chunk, { stream: true });
        complaints = (complaints + said).slice(-complaintsKept);
        for (const listener of hearers) listener(said);
      },
      exit: (how) => exit.resolve(endingOf(how)),
      closed: () => silent.resolve(),
      lost(reason) {
        exit.resolve(reason);
        silent.resolve();
      },
    },
    exit: exit.promise,
    silent: silent.promise,
    onOutput(listener) {
      outputs.push(listener);
      for (const chunk of early) listener(chunk);
      early = [];
    },
    onComplaint: (listener) => void hearers.push(listener),
    complaints: () => complaints.trim(),
  };
}

const endingOf = ({ code, signal }: ProgramEnd): string =>
  signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`;

function accompany({ pid, tree, input, keeps, stopReading }: Started, ear: Ear, forget: () => void): PipedProcess {
  let stuck: string | undefined;
  let ending: Promise<void> | undefined;

  const ended = ear.exit.then(async (how) => {
    await Promise.race([ear.silent, pause(drain)]); // its last words count
    void end(); // what it leaves behind ends with it
    return stuck ?? how;
  });

  function end(): Promise<void> {
    ending ??= endAll();
    return ending;
  }

  async function endAll(): Promise<void> {
    input.end();
    const isGone = await vanishes(tree, farewell);
    if (!isGone || tree.find().length > 0) await endTree(tree, grace); // who left its group is seen only by a walk
    stopReading();
    forget();
  }

  return {
    pid,
    write(text) {
      input.write(typeof text === "string" ? Buffer.from(text) : text);
      if (stuck !== undefined || input.unread() <= unreadLimitInBytes) return;
      stuck = `it did not read its input, ${unreadLimitInBytes} bytes of it, and was ended`;
      void end();
    },
    onOutput: ear.onOutput,
    complaints: ear.complaints,
    onComplaint: ear.onComplaint,
    ended,
    keeps: (isNeeded) => keeps?.(isNeeded),
    end,
  };
}
