/** Lines of a file that another program still writes, newest or oldest first: bounded in bytes, whatever lies at the path. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

export interface OpenFile {
  descriptor: number;
  size: number;
}

/** What `read` gives for a plain file; undefined where there is none or it cannot be read. A pipe or a folder is never read. */
export function withFile<T>(path: string, read: (file: OpenFile) => T): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // else a pipe without a writer would hang
    const found = fstatSync(descriptor);
    return found.isFile() ? read({ descriptor, size: found.size }) : undefined;
  } catch {
    return undefined; // it is not there, or not ours to read
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The same, open until its `close`, for who reads on later; else why it cannot be read. What is no file is not even opened. */
export function openPlainFile(path: string): (OpenFile & { close(): void }) | string {
  try {
    if (!statSync(path).isFile()) return irregular;
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(descriptor);
    const close = () => closeSync(descriptor);
    if (found.isFile()) return { descriptor, size: found.size, close };
    close();
    return irregular;
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : error}`;
  }
}
const irregular = "it is no regular file";

const newline = 10;
const smallBlock = 64 * 1024;
const largeBlock = 1024 * 1024;
/** A longer line is left out: nothing that is asked of a line needs more. */
export const lineAtMost: number = 16 * 1024 * 1024;

/** The lines within the last `limit` bytes, newest first. The first of them may be half written. */
export function* linesFromEnd({ descriptor, size }: OpenFile, limit: number): Generator<Buffer> {
  const floor = Math.max(0, size - limit);
  let begun: Buffer = Buffer.alloc(0);
  let length = smallBlock;
  for (let end = size; end > floor; length *= 2) {
    const start = Math.max(floor, end - length);
    const block = Buffer.concat([readAt(descriptor, start, end - start), begun]);
    let to = block.length;
    for (let at = previous(block, to); at !== -1; at = previous(block, to)) {
      yield block.subarray(at + 1, to);
      to = at;
    }
    begun = block.subarray(0, to);
    end = start;
  }
  if (floor === 0 && begun.length > 0) yield begun;
}

const previous = (block: Buffer, before: number): number => (before > 0 ? block.lastIndexOf(newline, before - 1) : -1);

/** The lines within the last `limit` bytes, oldest first. The last of them may be half written. */
export function* linesFromStart(file: OpenFile, limit: number): Generator<Buffer> {
  const floor = Math.max(0, file.size - limit);
  let isCut = floor > 0; // the first of them
  for (const { bytes } of linesFrom(file, floor)) {
    if (!isCut) yield bytes;
    isCut = false;
  }
}

export interface FileLine {
  bytes: Buffer;
  /** The offset behind it. */
  end: number;
  /** False: its end is not written yet. */
  isWhole: boolean;
}

/** The lines behind an offset, oldest first. */
export function* linesFrom({ descriptor, size }: OpenFile, from: number): Generator<FileLine> {
  let begun: Buffer[] = [];
  let held = 0;
  for (let start = from; start < size; start += largeBlock) {
    const block = readAt(descriptor, start, Math.min(largeBlock, size - start));
    let at = 0;
    for (let stop = block.indexOf(newline); stop !== -1; stop = block.indexOf(newline, at)) {
      const rest = block.subarray(at, stop);
      at = stop + 1;
      const bytes = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      if (held <= lineAtMost) yield { bytes, end: start + at, isWhole: true };
      begun = [];
      held = 0;
    }
    held += block.length - at;
    if (held <= lineAtMost) begun.push(block.subarray(at));
    else begun = [];
  }
  if (held > 0 && held <= lineAtMost) yield { bytes: Buffer.concat(begun), end: size, isWhole: false };
}

/** The file may have become shorter meanwhile. */
function readAt(descriptor: number, start: number, length: number): Buffer {
  const block = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const size = readSync(descriptor, block, filled, length - filled, start + filled);
    if (size === 0) break;
    filled += size;
  }
  return block.subarray(0, filled);
}
