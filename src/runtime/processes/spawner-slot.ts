/** One program that the helper runs: what the frames about it mean to its caller. */
import { closeSync, fstatSync, openSync } from "node:fs";
import { constants } from "node:os";
import * as frames from "./spawner-frames.ts";
import type { Hearing, OpenInput, Order, ProgramEnd, Refusal, Started } from "./start.ts";
import { createTree, endTree } from "./tree.ts";

const { fromHelper, inputPiece } = frames;

/** `unusable`: nothing was started, and this helper never will. `declined`: not this one, or not now. */
export type Attempt = Started | { refusal: Refusal } | { is: "unusable" | "declined" };

/** What a program's slot needs of the helper that it is one of. */
export interface Wire {
  helper: number;
  write(frame: Buffer): void;
  isOver(): boolean;
  /** The program is over, and its slot is free for another. */
  leave(slot: Slot): void;
  /** It need not keep this process alive any more. */
  letGo(slot: Slot): void;
}

export interface Slot {
  at: number;
  order: Order;
  hearing: Hearing;
  answer(attempt: Attempt): void;
  fed: PromiseWithResolvers<void>;
  /** Resolved when the helper has told all that it knew when it was asked. */
  told: PromiseWithResolvers<void> | undefined;
  input: Uint8Array;
  sent: number;
  /** More of it may come. */
  isOpen: boolean;
  /** The helper has room for more, and there was none. */
  isAsked: boolean;
  /** Absent: it is not known to have started. */
  facts: frames.StartedFacts | undefined;
  end: ProgramEnd | undefined;
  /** Of stdout and stderr: whether it has ended; bytes heard and not yet told as taken. */
  ended: [boolean, boolean];
  untold: [number, number];
  /** Its output is not read any more. */
  isClosing: boolean;
  isHeld: boolean;
  hasLeft: boolean;
}

export function newSlot(at: number, order: Order, hearing: Hearing, answer: Slot["answer"]): Slot {
  return {
    ...{ at, order, hearing, answer },
    fed: Promise.withResolvers<void>(),
    told: undefined,
    input: Buffer.from(order.command.input, "utf8"),
    sent: 0,
    isOpen: order.isOpen === true,
    isAsked: false,
    facts: undefined,
    end: undefined,
    ended: [false, false],
    untold: [0, 0],
    isClosing: false,
    isHeld: true,
    hasLeft: false,
  };
}

/** Asks the helper to start it. */
export function sendStart(slot: Slot, wire: Wire): void {
  const { command, environment } = slot.order;
  const frame = frames.startFrame(slot.at, command, environment, nextPiece(slot));
  if (typeof frame === "string") {
    wire.leave(slot);
    slot.answer({ refusal: unsendable[frame](command.program) });
  } else wire.write(frame);
}

const unsendable: Readonly<Record<"nul" | "too large", (program: string) => Refusal>> = {
  nul: (program) => ({ message: `the folder, the arguments and the environment of ${program} may not hold a NUL` }),
  "too large": () => ({ code: "E2BIG", message: "" }),
};

function nextPiece(slot: Slot): { piece: Uint8Array; follows: boolean } {
  const piece = slot.input.subarray(slot.sent, slot.sent + inputPiece);
  slot.sent += piece.length;
  return { piece, follows: slot.isOpen || slot.sent < slot.input.length };
}

function sendNext(slot: Slot, wire: Wire): void {
  slot.isAsked = slot.isOpen && slot.sent >= slot.input.length;
  if (slot.isAsked) return;
  const { piece, follows } = nextPiece(slot);
  wire.write(frames.inputFrame(slot.at, piece, follows));
}

function openInput(slot: Slot, wire: Wire, isOver: () => boolean): OpenInput {
  const goOn = (): void => {
    if (slot.isAsked && !isOver()) sendNext(slot, wire);
  };
  return {
    write(bytes) {
      if (!slot.isOpen || isOver()) return;
      slot.input = Buffer.concat([slot.input.subarray(slot.sent), bytes]);
      slot.sent = 0;
      goOn();
    },
    end() {
      slot.isOpen = false;
      goOn();
    },
    unread: () => slot.input.length - slot.sent,
  };
}

type Listener = (slot: Slot, wire: Wire, content: Buffer) => void;

/** By the kind of the frame. */
export const listeners: Readonly<Record<number, Listener>> = {
  [fromHelper.started](slot, wire, content) {
    slot.facts = frames.readStarted(content);
    slot.answer(startedOf(slot, wire, slot.facts));
  },
  [fromHelper.failed](slot, wire, content) {
    wire.leave(slot);
    slot.answer({ refusal: refusalOf(content.readUInt32LE(0), slot.order.command.program) });
  },
  [fromHelper.stdout]: (slot, wire, content) => output(slot, wire, 0, content),
  [fromHelper.stderr]: (slot, wire, content) => output(slot, wire, 1, content),
  [fromHelper.stdoutEnd]: (slot, wire) => streamEnded(slot, wire, 0),
  [fromHelper.stderrEnd]: (slot, wire) => streamEnded(slot, wire, 1),
  [fromHelper.more]: sendNext,
  [fromHelper.fed]: (slot) => slot.fed.resolve(),
  [fromHelper.told]: (slot) => slot.told?.resolve(),
  [fromHelper.exit](slot, wire, content) {
    slot.end = endOf(content.readUInt32LE(0), content.readUInt32LE(4) === 0);
    slot.fed.resolve();
    closeIfDone(slot, wire);
    slot.hearing.exit(slot.end);
  },
};

/** Half of what the helper sends without being told that it was taken. */
const takenAtLeast = 128 << 10;

function output(slot: Slot, wire: Wire, stream: 0 | 1, content: Buffer): void {
  if (!slot.isClosing) slot.hearing.output(stream === 0 ? "stdout" : "stderr", content);
  slot.untold[stream] += content.length;
  if (slot.untold[stream] < takenAtLeast) return;
  wire.write(frames.takenFrame(slot.at, stream, slot.untold[stream]));
  slot.untold[stream] = 0;
}

function streamEnded(slot: Slot, wire: Wire, stream: 0 | 1): void {
  slot.ended[stream] = true;
  closeIfDone(slot, wire);
}

function closeIfDone(slot: Slot, wire: Wire): void {
  if (!slot.end || !slot.ended[0] || !slot.ended[1]) return;
  wire.leave(slot);
  slot.told?.resolve();
  slot.hearing.closed();
}

function startedOf(slot: Slot, wire: Wire, { pid, since, pipes, outputs }: frames.StartedFacts): Started {
  const isOver = (): boolean => slot.hasLeft || wire.isOver();
  return {
    pid,
    tree: createTree(pid, slot.order.tag, {
      notBefore: since,
      pipes,
      hasEnded: () => slot.end !== undefined || wire.isOver(),
    }),
    fed: slot.fed.promise,
    input: openInput(slot, wire, isOver),
    catchUp() {
      if (isOver()) return Promise.resolve();
      slot.told = Promise.withResolvers<void>();
      wire.write(frames.askFrame(slot.at));
      return slot.told.promise;
    },
    stopReading() {
      if (slot.isClosing || isOver()) return;
      slot.isClosing = true;
      wire.write(frames.closeFrame(slot.at));
    },
    release() {
      const [stdout, stderr] = ([0, 1] as const).map((stream) =>
        slot.ended[stream] ? "ignore" : openOf(wire.helper, outputs[stream], pipes[stream + 1]),
      );
      if (!isOver()) wire.write(frames.releaseFrame(slot.at));
      slot.isClosing = true;
      wire.letGo(slot);
      return { stdout, stderr };
    },
  };
}

/**
 * A second opening of the same pipe, which is ours to hand over. It is there for this tick. The helper may have closed that
 * stream meanwhile, and its descriptor may be another program's.
 */
function openOf(helper: number, descriptor: number, pipe: string | undefined): number | "ignore" {
  try {
    const opened = openSync(`/proc/${helper}/fd/${descriptor}`, "r");
    setImmediate(closeSync, opened);
    return `pipe:[${fstatSync(opened).ino}]` === pipe ? opened : "ignore";
  } catch {
    return "ignore"; // it has closed that stream
  }
}

const lostReason = "the process that starts programs has ended, so the result of this one is unknown";

/** The helper has ended: its direct children went with it, and what those had started is found by its tag. */
export function lose(slot: Slot, wire: Wire, hasSaidHello: boolean): void {
  wire.leave(slot);
  slot.fed.resolve();
  slot.told?.resolve();
  if (slot.facts) {
    if (!slot.end) slot.hearing.closed(); // where it has ended, another process still holds its streams: its tree has to be ended
    slot.hearing.lost(lostReason);
  } else if (!hasSaidHello) slot.answer({ is: "unusable" });
  else {
    const strays = createTree(undefined, slot.order.tag);
    endTree(strays, 0).then(() => slot.answer({ refusal: { message: lostReason } }));
  }
}

function endOf(status: number, isGroupGone: boolean): ProgramEnd {
  const signal = status & 0x7f;
  return signal === 0
    ? { code: (status >> 8) & 0xff, isGroupGone }
    : { signal: nameIn(constants.signals, signal), isGroupGone };
}

function refusalOf(errno: number, program: string): Refusal {
  const code = nameIn(constants.errno, errno);
  return { code, message: `spawn ${program} ${code}` };
}

const nameIn = (names: Readonly<Record<string, number>>, number: number): string =>
  Object.entries(names).find(([, one]) => one === number)?.[0] ?? String(number);
