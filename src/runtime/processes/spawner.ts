/**
 * Starts programs from a small process that stays, because Node forks its whole self for each (docs/decisions/0012-programs-start-from-a-helper.md). Where
 * that process cannot run, this one forks after all: the promise of `Spawn` is the same.
 */
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { isAbsolute } from "node:path";
import type { Seconds } from "../../engine/event.ts";
import type { Spawn, StartPipedProcess } from "../../engine/program.ts";
import { nativeProgram } from "../../files/own-files.ts";
import { createPipedStart } from "./piped-process.ts";
import { createSupervision, type SpawnLimits } from "./spawn.ts";
import { createFrameReader, fromHelper, helperVersion, mostSlots } from "./spawner-frames.ts";
import { type Attempt, listeners, lose, newSlot, type Slot, sendStart, type Wire } from "./spawner-slot.ts";
import { type Hearing, type Order, type StartProgram, startChild, startWith } from "./start.ts";

export interface SpawnerOptions {
  limits?: Partial<SpawnLimits>;
  /** The helper program; default: that of this system. */
  file?: string | undefined;
  /** Called once, if the helper is there and cannot be used. */
  complain?: (message: string) => void;
}

export interface Spawner {
  spawn: Spawn;
  /** The same for what is spoken to as long as it runs. */
  startPiped: StartPipedProcess;
  /** Ends the helper and what it still runs; later programs are started without it. Safe to call twice. */
  close(): Promise<void>;
}

/** The helper is started with the first program, and keeps no process alive. */
export function createSpawner({
  limits,
  file = nativeProgram("hookline-spawner"),
  complain,
}: SpawnerOptions = {}): Spawner {
  let helper: Helper | undefined;
  let isOut = file === undefined;
  const running = new Set<Promise<unknown>>();

  function helperNow(): Helper | undefined {
    if (isOut || file === undefined) return undefined;
    if (helper && !helper.isOver()) return helper;
    const begun = begin(file);
    helper = begun && attend(begun);
    if (!helper) giveUp();
    return helper;
  }

  function giveUp(): void {
    if (!isOut) complain?.(`${file} cannot be executed: programs are started without it, which takes longer`);
    isOut = true;
  }

  const start: StartProgram = async (order, hearing) => {
    const asked = helperNow();
    if (!asked) return startChild(order, hearing);
    const started = await startWith(() => asked.start(order, hearing), order.command);
    if (!("is" in started)) return started;
    if (started.is === "unusable") giveUp();
    return startChild(order, hearing);
  };

  const supervised = createSupervision(start, limits);
  return {
    spawn(command, options) {
      const ended = supervised(command, options);
      running.add(ended);
      void ended.then(() => running.delete(ended)); // it never rejects
      return ended;
    },
    startPiped: createPipedStart(start),
    async close() {
      isOut = true;
      await helper?.close();
      await Promise.all(running); // the helper knows only what it started itself: what those have started is ended here
    },
  };
}

/** One helper process that starts programs for this one (native/spawner.c), and those that it carries at the moment. */
interface Helper {
  /** Never rejects. */
  start(order: Order, hearing: Hearing): Promise<Attempt>;
  isOver(): boolean;
  /** It ends what it still runs, then itself. Resolves when that is done. Safe to call twice. */
  close(): Promise<void>;
}

/** A helper that has not started a program so long after its caller gave up is stuck. */
const patience: Seconds = 1;

/** It gives its programs a second between TERM and KILL. */
const endsWithin: Seconds = 2.5;

interface Begun {
  child: ChildProcess;
  pid: number;
  socket: Socket;
}

/** Undefined: it cannot be started. */
function begin(file: string): Begun | undefined {
  const { spawn } = process.getBuiltinModule("node:child_process");
  try {
    const child = spawn(file, [], {
      cwd: "/",
      env: {},
      detached: true, // what a terminal sends to us is not for it
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    child.on("error", ignored);
    child.unref();
    if (child.pid === undefined) return undefined;
    return { child, pid: child.pid, socket: child.stdio[3] as Socket }; // a pipe at this place is a socket: both sides write
  } catch {
    return undefined; // no descriptors, no memory: a plain child will say so
  }
}

const ignored = (): void => {};

function attend({ child, pid, socket }: Begun): Helper {
  const slots: (Slot | undefined)[] = [];
  const free: number[] = [];
  const over = Promise.withResolvers<void>();
  let held = 0;
  let hasSaidHello = false;
  let isOver = false;

  const wire: Wire = {
    helper: pid,
    write: (frame) => void socket.write(frame),
    isOver: () => isOver,
    leave(slot) {
      if (slot.hasLeft) return;
      slot.hasLeft = true;
      slots[slot.at] = undefined;
      free.push(slot.at);
      wire.letGo(slot);
    },
    letGo(slot) {
      if (!slot.isHeld) return;
      slot.isHeld = false;
      if (--held === 0) socket.unref();
    },
  };

  socket.unref();
  socket.on("error", ignored); // it closes, too
  socket.on(
    "data",
    createFrameReader((kind, at, content) => {
      if (kind === fromHelper.hello) hear(content.readUInt32LE(0));
      const slot = slots[at];
      if (slot) listeners[kind]?.(slot, wire, content);
    }),
  );
  socket.on("close", () => {
    isOver = true;
    for (const slot of slots) if (slot) lose(slot, wire, hasSaidHello);
    over.resolve();
  });

  function hear(version: number): void {
    hasSaidHello = version === helperVersion;
    if (!hasSaidHello) socket.destroy();
  }

  /** A caller that gave up waiting for the start must not wait for it. */
  async function endIfStuck(slot: Slot): Promise<void> {
    await slot.order.over;
    if (slot.facts || slot.hasLeft) return;
    setTimeout(() => {
      if (!slot.facts && !slot.hasLeft) child.kill("SIGKILL");
    }, patience * 1000);
  }

  return {
    isOver: () => isOver,
    start(order, hearing) {
      if (isOver) return Promise.resolve({ is: hasSaidHello ? "declined" : "unusable" });
      const isFull = free.length === 0 && slots.length >= mostSlots;
      if (isFull || !isAbsolute(order.command.cwd)) return Promise.resolve({ is: "declined" }); // its folder is not ours
      const { promise, resolve } = Promise.withResolvers<Attempt>();
      const at = free.pop() ?? slots.length;
      const slot = newSlot(at, order, hearing, resolve);
      slots[at] = slot;
      if (held++ === 0) socket.ref(); // what runs keeps this process alive, until it is released
      sendStart(slot, wire);
      endIfStuck(slot);
      return promise;
    },
    close() {
      socket.ref(); // what it still runs is ended before we are
      socket.end();
      const stuck = setTimeout(() => child.kill("SIGKILL"), endsWithin * 1000);
      return over.promise.finally(() => clearTimeout(stuck));
    },
  };
}
