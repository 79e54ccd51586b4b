/** Runs one program from start to settled: feeds it, keeps what it says, and ends everything it started when told to. */
import type { Seconds } from "../../engine/event.ts";
import type { Detached, Ended, Spawn } from "../../engine/program.ts";
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
    if (isReleased) return noLeftovers;
    const isClosed = await closesWithin(0.1);
    if (options.leftovers === "keep" || (isClosed && watch.end().isGroupGone)) return noLeftovers;
    return endLeftovers(tree, isClosed, () => closesWithin(longestNews));
  }

  async function afterStop(way: Way): Promise<Leftovers> {
    if (isReleased && way === "lost") return noLeftovers;
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
const noLeftovers: Leftovers = { ended: 0, survivors: 0 };

/** After the program's own exit: what it left in the background gets a moment to finish, then it is ended (F3). */
async function endLeftovers(tree: Tree, isClosed: boolean, closesAtLast: () => Promise<boolean>): Promise<Leftovers> {
  if (isClosed && (await vanishes(tree, 0.05))) return noLeftovers;
  const ended = tree.find().length;
  tree.terminate();
  if (await vanishes(tree, 0.05)) {
    // A process that is not seen may hold the pipe. On a busy machine the end of the pipe may only come late.
    const isOver = isClosed || ended > 0 || (await closesAtLast());
    return { ended, survivors: isOver ? 0 : 1 };
  }
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

/** Keeps the head and the tail of what a program writes: a flood costs no memory, and both ends of a long report survive. */

interface CappedOutput {
  write(chunk: Uint8Array): void;
  /** What was kept, as text; where bytes are missing a line says how many. */
  text(): string;
  /** The first line, once it is complete and if it is short enough to have been kept. */
  firstLine(): string | undefined;
  totalInBytes(): number;
  droppedInBytes(): number;
}

/** The first half is filled once, the second half is a ring that always holds the newest bytes. */
export function createCappedOutput(keptInBytes: number): CappedOutput {
  const headSize = keptInBytes >> 1;
  const ringSize = keptInBytes - headSize;
  let bytes = Buffer.alloc(0);
  let total = 0;
  let lineEnd = -1;

  function write(chunk: Uint8Array): void {
    if (lineEnd < 0 && total < headSize) {
      const found = chunk.indexOf(newline);
      if (found >= 0 && total + found <= headSize) lineEnd = total + found;
    }
    const fits = Math.min(chunk.length, keptInBytes - Math.min(total, keptInBytes));
    if (fits > 0) {
      bytes = roomFor(bytes, total + fits, keptInBytes);
      bytes.set(chunk.subarray(0, fits), total);
    }
    if (fits < chunk.length) writeRing(chunk.subarray(fits), total + fits);
    total += chunk.length;
  }

  function writeRing(rest: Uint8Array, before: number): void {
    const newest = rest.subarray(Math.max(0, rest.length - ringSize));
    const at = (before - headSize + rest.length - newest.length) % ringSize;
    const first = newest.subarray(0, ringSize - at);
    bytes.set(first, headSize + at);
    bytes.set(newest.subarray(first.length), headSize);
  }

  function text(): string {
    if (total <= keptInBytes) return bytes.toString("utf8", 0, total);
    const oldest = headSize + ((total - headSize) % ringSize);
    const tail = Buffer.concat([bytes.subarray(oldest, keptInBytes), bytes.subarray(headSize, oldest)]);
    const head = wholeCharacters(bytes.subarray(0, headSize));
    return `${head}\n[… ${total - keptInBytes} bytes were not kept …]\n${fromCharacterStart(tail)}`;
  }

  return {
    write,
    text,
    firstLine: () => (lineEnd < 0 ? undefined : bytes.toString("utf8", 0, lineEnd)),
    totalInBytes: () => total,
    droppedInBytes: () => Math.max(0, total - keptInBytes),
  };
}

const newline = 10;

/** Doubles, so that a program that says little costs little, and one byte per write costs no more than the byte. */
function roomFor(bytes: Buffer<ArrayBuffer>, needed: number, most: number): Buffer<ArrayBuffer> {
  if (bytes.length >= needed) return bytes;
  const larger = Buffer.alloc(Math.min(most, Math.max(needed, bytes.length * 2)));
  bytes.copy(larger);
  return larger;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** A character of UTF-8 has at most three bytes after its first: what was cut in two is left out at both sides. */
function wholeCharacters(head: Buffer): string {
  let start = head.length - 1;
  while (start > head.length - 4 && isContinuation(head[start])) start--;
  const first = head[start] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return head.toString("utf8", 0, start + length > head.length ? start : head.length);
}

function fromCharacterStart(tail: Buffer): string {
  let start = 0;
  while (start < 3 && isContinuation(tail[start])) start++;
  return tail.toString("utf8", start);
}
