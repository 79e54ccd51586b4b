/** Keeps the head and the tail of what a program writes: a flood costs no memory, and both ends of a long report survive. */

export interface CappedOutput {
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
