/** The frames between this process and native/spawner.c: what they hold, written and read. Little endian. */
import type { Command } from "../../engine/program.ts";

/** Length of what follows, kind, slot. */
const head = 8;
export const helperVersion = 2;
/** Programs that one helper carries at once. */
export const mostSlots = 4096;
/** The system takes less than this, whatever the stack limit. */
const longestStart = 8 << 20;
/** Goes with the start; what a pipe takes at once, it takes without a copy. */
export const inputPiece: number = 256 << 10;

const toHelper = { start: 1, input: 2, taken: 3, close: 4, release: 5, ask: 6 } as const;
export const fromHelper = {
  hello: 1,
  started: 2,
  failed: 3,
  stdout: 4,
  stderr: 5,
  stdoutEnd: 6,
  stderrEnd: 7,
  exit: 8,
  more: 9,
  fed: 10,
  told: 11,
} as const;

const noUser = 0xffff_ffff;
const ownUmask = 0xffff_ffff;
/** In front of a start's words. */
const startHead = 24;

function frame(kind: number, slot: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(head + length);
  writeHead(bytes, kind, slot);
  return bytes;
}

function writeHead(bytes: Buffer, kind: number, slot: number): void {
  bytes.writeUInt32LE(bytes.length - head, 0);
  bytes.writeUInt16LE(kind, 4);
  bytes.writeUInt16LE(slot, 6);
}

type StartFrame = Buffer | "nul" | "too large";

/** @param input the first piece of it; `follows`: there is more */
export function startFrame(
  slot: number,
  { program, args, cwd, user, umask }: Command,
  environment: Readonly<Record<string, string>>,
  input: { piece: Uint8Array; follows: boolean },
): StartFrame {
  let text = `${cwd}\0${program}\0`;
  let count = 2;
  for (const word of args) {
    text += `${word}\0`;
    count++;
  }
  let variables = 0;
  for (const name in environment) {
    text += `${name}=${environment[name]}\0`;
    variables++;
  }
  if (text.length > longestStart) return "too large";
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(head + startHead + length + input.piece.length);
  writeHead(bytes, toHelper.start, slot);
  bytes.writeUInt32LE(user?.uid ?? noUser, head);
  bytes.writeUInt32LE(user?.gid ?? noUser, head + 4);
  bytes.writeUInt32LE(args.length, head + 8);
  bytes.writeUInt32LE(variables, head + 12);
  bytes.writeUInt32LE(input.follows ? 1 : 0, head + 16);
  bytes.writeUInt32LE(umask ?? ownUmask, head + 20);
  bytes.write(text, head + startHead, "utf8");
  bytes.set(input.piece, head + startHead + length);
  return countOf(text, "\0") === count + variables ? bytes : "nul";
}

/** Each word ends with one: another one would cut a word in two. */
function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}

export function inputFrame(slot: number, piece: Uint8Array, follows: boolean): Buffer {
  const bytes = frame(toHelper.input, slot, 4 + piece.length);
  bytes.writeUInt32LE(follows ? 1 : 0, head);
  bytes.set(piece, head + 4);
  return bytes;
}

export function takenFrame(slot: number, stream: number, count: number): Buffer {
  const bytes = frame(toHelper.taken, slot, 8);
  bytes.writeUInt32LE(stream, head);
  bytes.writeUInt32LE(count, head + 4);
  return bytes;
}

export const closeFrame = (slot: number): Buffer => frame(toHelper.close, slot, 0);
export const releaseFrame = (slot: number): Buffer => frame(toHelper.release, slot, 0);

export const askFrame = (slot: number): Buffer => frame(toHelper.ask, slot, 0);

export interface StartedFacts {
  pid: number;
  /** The helper's descriptors of its stdout and stderr. */
  outputs: readonly [number, number];
  /** In the process table's unit. */
  since: number;
  /** As the process table names them. */
  pipes: readonly string[];
}

export const readStarted = (facts: Buffer): StartedFacts => ({
  pid: facts.readUInt32LE(0),
  outputs: [facts.readUInt32LE(4), facts.readUInt32LE(8)],
  since: Number(facts.readBigUInt64LE(12)),
  pipes: [20, 28, 36].map((at) => `pipe:[${facts.readBigUInt64LE(at)}]`),
});

/** Cuts what arrives into frames; output is handed on in the pieces in which it comes. A listener may keep nothing of what it is given. */
export function createFrameReader(
  onFrame: (kind: number, slot: number, content: Buffer) => void,
): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  let open = { kind: 0, slot: 0, left: 0 };
  return (chunk) => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    let at = 0;
    if (open.left > 0) at = goOn(bytes, 0);
    while (bytes.length - at >= head) {
      const length = bytes.readUInt32LE(at);
      const [kind, slot] = [bytes.readUInt16LE(at + 4), bytes.readUInt16LE(at + 6)];
      if (isOutput(kind)) {
        open = { kind, slot, left: length };
        at = goOn(bytes, at + head);
      } else if (at + head + length <= bytes.length) {
        onFrame(kind, slot, bytes.subarray(at + head, at + head + length));
        at += head + length;
      } else break;
    }
    rest = at < bytes.length ? Buffer.from(bytes.subarray(at)) : undefined;
  };

  function goOn(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + open.left);
    open.left -= end - at;
    if (end > at) onFrame(open.kind, open.slot, bytes.subarray(at, end));
    return end;
  }
}

const isOutput = (kind: number): boolean => kind === fromHelper.stdout || kind === fromHelper.stderr;
