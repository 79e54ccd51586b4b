/** Lines of a file that another program still writes, newest or oldest first: bounded in bytes, whatever lies at the path. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

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

const newline = 10;
const smallBlock = 64 * 1024;
const largeBlock = 1024 * 1024;
/** A longer line is left out: nothing that is asked of a line needs more. */
const lineAtMost = 16 * 1024 * 1024;

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
export function* linesFromStart({ descriptor, size }: OpenFile, limit: number): Generator<Buffer> {
  const floor = Math.max(0, size - limit);
  let begun: Buffer[] = [];
  let held = 0;
  let whole = floor === 0;
  for (let start = floor; start < size; start += largeBlock) {
    const block = readAt(descriptor, start, Math.min(largeBlock, size - start));
    let from = 0;
    for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, from)) {
      const rest = block.subarray(from, at);
      if (whole) yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      held = 0;
      whole = true;
      from = at + 1;
    }
    held += block.length - from;
    whole &&= held <= lineAtMost;
    if (whole) begun.push(block.subarray(from));
    else begun = [];
  }
  if (whole && held > 0) yield Buffer.concat(begun);
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
