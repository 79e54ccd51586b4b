/** Runs one program from start to settled: feeds it, keeps what it says, and ends everything it started when told to. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Seconds } from "../core/event.ts";
import type { Command, Detached, Ended, Spawn } from "../core/program.ts";
import { type CappedOutput, createCappedOutput } from "./capped-output.ts";
import { createCookie, withCookie } from "./cookie.ts";
import { start } from "./start.ts";
import { createTree, endTree, type Tree, vanishes } from "./tree.ts";

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

/**
 * The spawner: process group, walk of the descendants, environment cookie. It settles on the program's exit plus at
 * most 250 ms (R54), and at most 3 s after the signal. Never rejects: a failure is an Ended.
 */
export function createSpawn(limits: Partial<SpawnLimits> = {}): Spawn {
  const bounds = { ...usual, ...limits };
  return async (command, options) => {
    if (options.signal.aborted) return neverRan("aborted", "it was stopped before it started");
    const cookie = createCookie();
    const started = await start(command, withCookie(command, cookie));
    if ("reason" in started) return neverRan("launch", started.reason);
    return supervise({ ...started, cookie, tree: createTree(started.pid, cookie), command, options, bounds });
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

interface Running {
  child: ChildProcessWithoutNullStreams;
  pid: number;
  tree: Tree;
  cookie: string;
  command: Command;
  options: Options;
  bounds: SpawnLimits;
}
type Way = "exit" | "aborted" | "output";

function supervise(running: Running): Promise<Ended> {
  const { child, tree, command, options, bounds } = running;
  const kept = options.keptInBytes ?? bounds.keptInBytes;
  const stdout = createCappedOutput(kept);
  const stderr = createCappedOutput(kept);
  const over = Promise.withResolvers<Way>();
  const detached = Promise.withResolvers<Ended>();
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let isReleased = false;

  child.once("exit", () => over.resolve("exit"));
  const abort = (): void => over.resolve("aborted");
  options.signal.addEventListener("abort", abort, { once: true });
  if (options.signal.aborted) abort(); // while the start was tried again: that is told to nobody who listens later

  listen(child.stdout, stdout);
  listen(child.stderr, stderr);
  const fed = feed(child, command.input);
  const detaches = firstLineAsker(stdout, options.detaches);
  child.stdout.on("data", () => {
    if (!detaches()) return;
    options.signal.removeEventListener("abort", abort); // who runs alone is not cancelled with the turn
    const letGo = (): void =>
      detached.resolve({ ...report("detached", 0, 0), rest: { pid: running.pid, done, end: abort, release } });
    settlesWithin(fed, longestFeed).then(letGo); // what is still to be written would be lost with this process
  });

  function listen(stream: NodeJS.ReadableStream, output: CappedOutput): void {
    stream.on("data", (chunk: Buffer) => {
      output.write(chunk);
      if (stdout.totalInBytes() + stderr.totalInBytes() > bounds.endsAtInBytes) over.resolve("output");
    });
    stream.on("error", ignored);
  }

  async function whole(): Promise<Ended> {
    const way = await over.promise;
    options.signal.removeEventListener("abort", abort);
    if (way === "output") stopReading(child);
    const left = way === "exit" ? await afterExit() : await afterStop(way);
    stopReading(child);
    return report(way, left.survivors, left.ended);
  }

  async function afterExit(): Promise<Leftovers> {
    if (isReleased) return nobody;
    const isClosed = await settlesWithin(closed, 0.1);
    return options.leftovers === "keep" ? nobody : endLeftovers(tree, isClosed);
  }

  async function afterStop(way: Way): Promise<Leftovers> {
    const survivors = await endTree(tree, way === "aborted" ? bounds.grace : 0);
    const isClosed = await settlesWithin(closed, 0.25);
    return { ended: 0, survivors: isClosed ? survivors : Math.max(1, survivors) };
  }

  function report(how: Ended["how"], survivors: number, leftovers: number): Ended {
    return {
      how,
      ...(child.exitCode === null ? {} : { code: child.exitCode }),
      ...(child.signalCode === null ? {} : { signal: child.signalCode }),
      ...(how === "output" ? { reason: `it wrote more than ${bounds.endsAtInBytes} bytes (output_limit)` } : {}),
      stdout: stdout.text(),
      stderr: stderr.text(),
      dropped: stdout.droppedInBytes() + stderr.droppedInBytes(),
      containment,
      survivors,
      ...(leftovers > 0 ? { leftovers } : {}),
    };
  }

  function release(): ReturnType<Detached["release"]> {
    isReleased = true;
    child.unref();
    for (const stream of [child.stdout, child.stderr]) {
      stream.removeAllListeners("data");
      stream.pause();
      unref(stream);
    }
    unref(child.stdin);
    return { pid: running.pid, cookie: running.cookie, stdout: child.stdout, stderr: child.stderr };
  }

  const done = whole();
  return Promise.race([done, detached.promise]);
}

/** How long a program that goes on by itself may take to read its input, before it is let go. */
const longestFeed: Seconds = 5;

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

function stopReading(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

/** Streams of a child are sockets, though their type does not say so. */
function unref(stream: object): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}
