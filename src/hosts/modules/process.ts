/** One process of a project's modules, from its start to its end: what is asked of it, and how it is ended when it does not answer. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { conventions } from "../../agents/index.ts";
import { messageOf } from "../../engine/error.ts";
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import type { ToolAnswer } from "../../engine/external-services.ts";
import { longestLineInBytes } from "../../engine/persistent-program.ts";
import { createLineReader } from "../../files/lines.ts";
import { createComplaints } from "../../runtime/processes/persistent-process.ts";
import { createProcessTag, createTree, withProcessTag } from "../../runtime/processes/tree.ts";
import { notLoadedWithin } from "./import-module.ts";
import { type Description, type FromModules, type Given, readLine, type Target, type ToModules } from "./wire.ts";

/** What a call may ask of us while it runs, and how long it may. */
export interface CallOptions {
  signal?: AbortSignal;
  limit?: Seconds;
  /** What is said when that is over. */
  late?: string;
  callTool?: (name: string, input: Fields) => Promise<ToolAnswer>;
  log?: (level: string, message: string) => void;
}

export interface ModulesProcess {
  /** Rejects when the process has ended meanwhile, or the limit is over: then it is ended. */
  import(order: Omit<Extract<ToModules, { is: "import" }>, "is">): Promise<Description>;
  /** Rejects with what the function has thrown; when its caller gives up; and when the process ends. */
  call(target: Target, given: Given, options: CallOptions): Promise<unknown>;
  /** Resolves when it answers or has ended: a call that was given up may have left it busy. */
  ready(): Promise<void>;
  hasEnded(): boolean;
  /** How many calls it has still to answer. */
  underWay(): number;
  /** Ends all of it at once. Safe to call twice. */
  end(reason: string): void;
}

export type Log = (level: string, message: string) => void;

/** For a process that can still answer, to say so. */
const answersWithin: Seconds = 0.25;

/** From the end of its line to its own end. */
const lastWords: Seconds = 0.25;

interface Waiting extends CallOptions {
  settle(done: { answer: unknown } | { error: Error }): void;
}

/** Throws what the system says. @param folder where it works: that of the project */
export function startModules(folder: string, log: Log): ModulesProcess {
  const tag = createProcessTag();
  const child = spawnModules(folder, tag);
  const channel = child.stdio[3] as Duplex; // a pipe in both ways, as it was asked for
  const imports = new Map<number, Waiting>();
  const calls = new Map<number, Waiting>();
  let asked = 0;
  let over: string | undefined;
  let probe: PromiseWithResolvers<void> | undefined;

  const forget = killedAtExit(child); // a busy one would not see that we have gone
  child.once("error", (error) => close(`it could not be started: ${messageOf(error)}`));
  child.once("exit", (code, signal) => close(signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`));
  for (const stream of [child.stdout, child.stderr]) {
    const level = stream === child.stdout ? "info" : "warn";
    const printed = createComplaints((line) => log(level, line));
    stream?.setEncoding("utf8").on("data", printed.hear).on("end", printed.flush).on("error", ignored);
  }
  const hear = createLineReader(longestLineInBytes, (line) => {
    const message = readLine(line);
    if (message)
      hears[message.is](message as never); // the table has one for each
    else end("it wrote a line that is no answer");
    return over === undefined;
  });
  channel
    .on("data", (chunk: Buffer) => {
      if (over === undefined && !hear(chunk)) end(`it answered more than ${longestLineInBytes} bytes`);
    })
    .on("error", ignored)
    .on("close", () => setTimeout(() => end("it closed its line to Hookline"), lastWords * 1000).unref()); // its end says more
  child.unref();
  hold();

  const hears: { readonly [M in FromModules["is"]]: (message: Extract<FromModules, { is: M }>) => void } = {
    module: ({ module, found }) => imports.get(module)?.settle({ answer: found }),
    answer: ({ id, answer }) => calls.get(id)?.settle({ answer }),
    error: ({ id, message }) => calls.get(id)?.settle({ error: new Error(message) }),
    async tool({ id, tool, name, input }) {
      try {
        const call = calls.get(id)?.callTool;
        if (!call) throw new Error("the call that asked for it is over");
        const answer = (await call(name, input)) as unknown as Json; // tools answer JSON
        say({ is: "tool", tool, answer });
      } catch (error) {
        say({ is: "tool", tool, error: messageOf(error) });
      }
    },
    log({ id, level, message }) {
      const own = id === undefined ? undefined : calls.get(id)?.log;
      (own ?? log)(level, message);
    },
    pong: () => probe?.resolve(),
  };

  function say(message: ToModules): void {
    if (over === undefined) channel.write(`${JSON.stringify(message)}\n`);
  }

  /** As long as something is waited for, this process stays. */
  function hold(): void {
    const isNeeded = imports.size + calls.size > 0 || probe !== undefined;
    for (const stream of [channel, child.stdout, child.stderr]) refer(stream, isNeeded && stream === channel);
  }

  /** @param all where it waits for its answer, under this number */
  function wait(all: Map<number, Waiting>, id: number, options: CallOptions): Promise<unknown> {
    const { signal, limit, late = `it did not answer within ${limit} s` } = options;
    return new Promise((resolve, reject) => {
      const timer = limit === undefined ? undefined : setTimeout(() => giveUp(late), limit * 1000);
      const aborted = (): void => giveUp("its caller waits no longer");
      const giveUp = (reason: string): void => {
        all.get(id)?.settle({ error: new Error(reason) });
        if (all === calls) say({ is: "abort", id });
        else end(reason);
        void ready(true);
      };
      all.set(id, {
        ...options,
        settle(done) {
          all.delete(id);
          clearTimeout(timer);
          signal?.removeEventListener("abort", aborted);
          hold();
          if ("error" in done) reject(done.error);
          else resolve(done.answer);
        },
      });
      hold();
      if (signal?.aborted) aborted();
      else signal?.addEventListener("abort", aborted, { once: true });
    });
  }

  async function ready(asks = false): Promise<void> {
    if (over !== undefined || (!asks && !probe)) return;
    probe ??= ask();
    await probe.promise;
  }

  function ask(): PromiseWithResolvers<void> {
    const asking = Promise.withResolvers<void>();
    const timer = setTimeout(() => end("it was busy when its time was over"), answersWithin * 1000);
    void asking.promise.then(() => {
      clearTimeout(timer);
      probe = undefined;
      hold();
    });
    say({ is: "ping" });
    return asking;
  }

  function end(reason: string): void {
    if (over !== undefined) return;
    close(reason);
    createTree(child.pid, tag).kill(); // with what its modules have started
    for (const stream of [channel, child.stdout, child.stderr]) stream?.destroy();
  }

  function close(reason: string): void {
    if (over !== undefined) return;
    over = reason;
    forget();
    const error = (): { error: Error } => ({
      error: new Error(`the process of the project's modules is gone: ${reason}`),
    });
    for (const waiting of [...imports.values(), ...calls.values()]) waiting.settle(error());
    probe?.resolve();
  }

  return {
    import(order) {
      const found = wait(imports, order.module, {
        limit: order.limit + answersWithin, // before, it says so itself
        late: notLoadedWithin(order.limit),
      });
      say({ is: "import", ...order });
      return found as Promise<Description>; // readLine has looked at it
    },
    call(target, given, options) {
      asked += 1;
      const id = asked;
      const answer = wait(calls, id, options);
      say({ is: "call", id, target, given });
      return answer;
    },
    ready: () => ready(),
    hasEnded: () => over !== undefined,
    underWay: () => imports.size + calls.size,
    end,
  };
}

function spawnModules(folder: string, tag: string): ChildProcess {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const environment = Object.entries(process.env).filter(([name]) => !conventions.isSessionSecret(name));
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", entry()], {
    cwd: folder,
    env: withProcessTag({ environment: Object.fromEntries(environment) as Record<string, string> }, tag), // it holds what is set
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: process.platform !== "win32", // of a group of its own; on Windows it would open a window
    windowsHide: true,
  });
}

/** From source, or from the bundle. */
function entry(): string {
  const places = ["./module-process.ts", "./module-process.js", "../module-process.js"];
  const found = places.map((name) => new URL(name, import.meta.url)).find((url) => existsSync(url));
  if (!found) throw new Error("the program that runs modules is missing: install Hookline again");
  return fileURLToPath(found);
}

/** All of them share one exit listener: with one each, Node would warn from the eleventh on. Gives its undo. */
const killedAtExit: (child: ChildProcess) => () => void = createKilling();

function createKilling(): typeof killedAtExit {
  const living = new Set<ChildProcess>();
  const killAll = (): void => {
    for (const child of living) killGroup(child);
  };
  return (child) => {
    if (living.size === 0) process.on("exit", killAll);
    living.add(child);
    return () => {
      living.delete(child);
      if (living.size === 0) process.removeListener("exit", killAll);
    };
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // it has gone by itself
  }
}

/** Whether a stream keeps this process alive. Streams of a child are sockets, though their type does not say so. */
function refer(stream: object | null, keeps: boolean): void {
  const name = keeps ? "ref" : "unref";
  const own: unknown = stream && name in stream ? (stream as Record<string, unknown>)[name] : undefined;
  if (typeof own === "function") own.call(stream);
}

/** Its pipes break when it ends; `exit` tells that. */
const ignored = (): void => {};
