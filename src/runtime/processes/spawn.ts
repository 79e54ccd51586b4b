/** Runs one program from start to settled: feeds it, keeps what it says, and ends everything it started when told to. */
import type { Seconds } from "../../engine/event.ts";
import type { Detached, Ended, Spawn } from "../../engine/program.ts";
import { type CappedOutput, createCappedOutput } from "./capped-output.ts";
import { type Hearing, type ProgramEnd, type Started, type StartProgram, startChild } from "./start.ts";
import { createProcessTag, endTree, type Tree, vanishes, withProcessTag } from "./tree.ts";

export interface SpawnLimits {
  /** Kept of each stream, half from its head and half from its tail. */
  keptInBytes: number;
  /** Output of both streams at which the program is ended. */
  endsAtInBytes: number;
  /** Between TERM and KILL. */
  grace: Seconds;
}
const usual: SpawnLimits = { keptInBytes: 1 << 20, endsAtInBytes: 64 << 20, grace: 2 };

const containment = "pgroup";

type Options = Parameters<Spawn>[1];

/** The spawner of a process that ends soon: it forks. */
export const createSpawn = (limits: Partial<SpawnLimits> = {}): Spawn => createSupervision(startChild, limits);

/**
 * Process group, walk of the descendants, environment tag. It settles on the program's exit plus at most 250 ms
 * (R54), and at most 3 s after the signal. Never rejects: a failure is an Ended.
 */
export function createSupervision(start: StartProgram, limits: Partial<SpawnLimits> = {}): Spawn {
  const bounds = { ...usual, ...limits };
  return async (command, options) => {
    if (options.signal.aborted) return neverRan("aborted", "it was stopped before it started");
    const tag = createProcessTag();
    const watch = createWatch(options, bounds);
    const environment = withProcessTag(command, tag, options.leftovers);
    const started = await start({ command, environment, tag, over: watch.over }, watch.hearing);
    if (!("reason" in started)) return supervise(started, { watch, tag, options, bounds });
    watch.ignoreSignal();
    return neverRan("launch", started.reason);
  };
}

const neverRan = (how: "aborted" | "launch", reason: string): Ended => ({
  how,
  reason,
  stdout: "",
  stderr: "",
  dropped: 0,
  containment,
  survivors: 0,
});

type Way = "exit" | "aborted" | "output" | "lost";

/** What has been heard of a program so far. */
interface Watch {
  hearing: Hearing;
  /** What is the first to happen. */
  over: Promise<Way>;
  closed: Promise<void>;
  isClosed(): boolean;
  end(): ProgramEnd;
  /** Resolves when it has said that it goes on by itself. */
  marked: Promise<void>;
  reason(): string | undefined;
  stop(): void;
  ignoreSignal(): void;
  stdout: CappedOutput;
  stderr: CappedOutput;
}

function createWatch(options: Options, bounds: SpawnLimits): Watch {
  const kept = options.keptInBytes ?? bounds.keptInBytes;
  const stdout = createCappedOutput(kept);
  const stderr = createCappedOutput(kept);
  const over = Promise.withResolvers<Way>();
  const closed = Promise.withResolvers<void>();
  const marked = Promise.withResolvers<void>();
  const detaches = firstLineAsker(stdout, options.detaches);
  let isClosed = false;
  let end: ProgramEnd = {};
  let reason: string | undefined;
  const stop = (): void => over.resolve("aborted");
  const ignoreSignal = (): void => options.signal.removeEventListener("abort", stop);
  options.signal.addEventListener("abort", stop, { once: true });

  const hearing: Hearing = {
    output(stream, chunk) {
      (stream === "stdout" ? stdout : stderr).write(chunk);
      if (stdout.totalInBytes() + stderr.totalInBytes() > bounds.endsAtInBytes) {
        reason = `it wrote more than ${bounds.endsAtInBytes} bytes (output_limit)`;
        over.resolve("output");
      }
      if (stream === "stderr" || !detaches()) return;
      ignoreSignal(); // who runs alone is not cancelled with the turn
      marked.resolve();
    },
    exit(how) {
      end = how;
      over.resolve("exit");
    },
    closed() {
      isClosed = true;
      closed.resolve();
    },
    lost(because) {
      reason = because;
      over.resolve("lost");
    },
  };
  return {
    ...{ hearing, stdout, stderr, stop, ignoreSignal },
    over: over.promise,
    closed: closed.promise,
    marked: marked.promise,
    isClosed: () => isClosed,
    end: () => end,
    reason: () => reason,
  };
}

interface Running {
  watch: Watch;
  tag: string;
  options: Options;
  bounds: SpawnLimits;
}

function supervise(started: Started, { watch, tag, options, bounds }: Running): Promise<Ended> {
  const { pid, tree } = started;
  const detached = Promise.withResolvers<Ended>();
  let isReleased = false;

  async function whole(): Promise<Ended> {
    const way = await watch.over;
    watch.ignoreSignal();
    if (way === "output") started.stopReading();
    const left = way === "exit" ? await afterExit() : await afterStop(way);
    started.stopReading();
    return report(way, left.survivors, left.ended);
  }

  async function afterExit(): Promise<Leftovers> {
    if (isReleased) return nobody;
    const isClosed = await closesWithin(0.1);
    if (options.leftovers === "keep" || (isClosed && watch.end().isGroupGone)) return nobody;
    return endLeftovers(tree, isClosed);
  }

  async function afterStop(way: Way): Promise<Leftovers> {
    if (isReleased && way === "lost") return nobody;
    const survivors = await endTree(tree, way === "aborted" ? bounds.grace : 0);
    const isClosed = await closesWithin(0.25);
    return { ended: 0, survivors: isClosed ? survivors : Math.max(1, survivors) };
  }

  async function closesWithin(time: Seconds): Promise<boolean> {
    if (watch.isClosed() || (await settlesWithin(watch.closed, time))) return true;
    if (started.catchUp) await settlesWithin(started.catchUp(), longestNews);
    return watch.isClosed();
  }

  function report(way: Way | "detached", survivors: number, leftovers: number): Ended {
    const { code, signal } = watch.end();
    const reason = way === "output" || way === "lost" ? watch.reason() : undefined;
    return {
      how: way === "lost" ? "launch" : way, // it decided nothing, and may not count as if it had
      ...(code === undefined ? {} : { code }),
      ...(signal === undefined ? {} : { signal }),
      ...(reason === undefined ? {} : { reason }),
      stdout: watch.stdout.text(),
      stderr: watch.stderr.text(),
      dropped: watch.stdout.droppedInBytes() + watch.stderr.droppedInBytes(),
      containment,
      survivors,
      ...(leftovers > 0 ? { leftovers } : {}),
    };
  }

  function release(): ReturnType<Detached["release"]> {
    isReleased = true;
    return { pid, tag, ...started.release() };
  }

  const done = whole();
  if (!options.detaches) return done;
  watch.marked.then(async () => {
    await settlesWithin(started.fed, longestFeed); // what is still to be written would be lost with this process
    detached.resolve({ ...report("detached", 0, 0), rest: { pid, done, end: watch.stop, release } });
  });
  return Promise.race([done, detached.promise]);
}

/** How long a program that goes on by itself may take to read its input, before it is let go. */
const longestFeed: Seconds = 5;

/** Who stands between may be late on a busy machine. */
const longestNews: Seconds = 1;

const longestMarkerInBytes = 4 << 10;

/** Whether the program has said that it goes on by itself: asked as soon as its first line, or what may be one, is there. */
function firstLineAsker(stdout: CappedOutput, asks: ((line: string) => boolean) | undefined): () => boolean {
  let isDecided = asks === undefined;
  return () => {
    if (isDecided || !asks) return false;
    const line = stdout.firstLine();
    const soFar = line ?? (stdout.totalInBytes() <= longestMarkerInBytes ? stdout.text() : undefined);
    isDecided = line !== undefined || soFar === undefined;
    const isMarker = soFar?.trimEnd().endsWith("}") === true && asks(soFar);
    isDecided ||= isMarker;
    return isMarker;
  };
}

interface Leftovers {
  ended: number;
  survivors: number;
}
const nobody: Leftovers = { ended: 0, survivors: 0 };

/** After the program's own exit: what it left in the background gets a moment to finish, then it is ended (F3). */
async function endLeftovers(tree: Tree, isClosed: boolean): Promise<Leftovers> {
  if (isClosed && (await vanishes(tree, 0.05))) return nobody;
  const ended = tree.find().length;
  tree.terminate();
  if (await vanishes(tree, 0.05)) return { ended, survivors: isClosed || ended > 0 ? 0 : 1 }; // who holds the pipe unseen
  tree.kill();
  return { ended, survivors: (await vanishes(tree, 0.04)) ? 0 : tree.find().length };
}

/** False at the limit, but not before what is already in the pipes has been read once more. */
async function settlesWithin(settled: Promise<void>, time: Seconds): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, false), time * 1000);
  });
  const inTime = await Promise.race([settled.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
