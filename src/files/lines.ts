/** Cuts what arrives in pieces into lines, each up to a limit. A piece becomes text as a whole: line by line that would cost more than to read what the lines say. */
import { isUtf8 } from "node:buffer";

/** A line's text, or why it cannot be read. */
export type Line = { text: string } | { because: "line_too_large" | "input_invalid" };

export interface Lines {
  add(bytes: Buffer): void;
  /** What stands behind the last line break is a line, too. */
  end(): void;
  /** Whether a line's end is still to come. */
  isBegun(): boolean;
  /** Undefined: no whole line is there. Empty ones are left out. */
  next(): Line | undefined;
  /** Of whole lines, what was not looked at yet. Of one that is only begun, no more is kept than a line may have. */
  waitingInBytes(): number;
  /** The line that is begun is already longer than a line may be. */
  isTooLong(): boolean;
}

const lineBreak = 10;
const tooLarge: Line = { because: "line_too_large" };
/** Stands for a line that was dropped as it came in. */
const dropped = Buffer.alloc(0);

/** The text of these bytes; undefined: they are no UTF-8. */
export const textOf = (bytes: Buffer): string | undefined => (isUtf8(bytes) ? bytes.toString("utf8") : undefined);

/** The same; U+FFFD stands for each byte that is no UTF-8. */
const lenientTextOf = (bytes: Buffer): string => bytes.toString("utf8");

/**
 * For output that is read as it comes.
 *
 * @param hear called with each line that is not blank; false: enough
 * @returns takes a chunk; false once a line is too long: nothing more is read then
 */
export function createLineReader(
  longestInBytes: number,
  hear: (line: string) => boolean,
): (chunk: Uint8Array) => boolean {
  const lines = createLines(longestInBytes, lenientTextOf);
  let isOver = false;
  return (chunk) => {
    if (isOver) return true;
    lines.add(Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    for (let line = lines.next(); line && !isOver; line = lines.next()) {
      if (!("text" in line)) return stop();
      isOver = !hear(line.text);
    }
    return isOver || !lines.isTooLong() || stop();
  };

  function stop(): boolean {
    isOver = true;
    return false;
  }
}

/** @param read the text of bytes; undefined: they cannot be read */
export function createLines(longestInBytes: number, read: (bytes: Buffer) => string | undefined = textOf): Lines {
  const pieces: Buffer[] = []; // of whole lines, without the last line break
  const begun: Buffer[] = []; // of a line whose end is still to come
  let begunInBytes = 0;
  let isDropped = false; // the begun line is too large: what still comes of it is not kept
  let wholeInBytes = 0;
  let text = ""; // of the piece that is being handed out
  let at = 0;
  let broken: Line[] = []; // of a piece that is no UTF-8 as a whole

  function keep(bytes: Buffer): void {
    if (bytes.length === 0 || isDropped) return;
    begun.push(bytes);
    begunInBytes += bytes.length;
    if (begunInBytes <= longestInBytes) return;
    isDropped = true;
    forget();
  }

  function forget(): void {
    begun.length = 0;
    begunInBytes = 0;
  }

  function whole(piece: Buffer): void {
    pieces.push(piece);
    wholeInBytes += piece.length;
  }

  function close(): void {
    if (isDropped) whole(dropped);
    else if (begun.length > 0) whole(Buffer.concat(begun));
    isDropped = false;
    forget();
  }

  function add(bytes: Buffer): void {
    let rest = bytes;
    if (begun.length > 0 || isDropped) {
      const first = rest.indexOf(lineBreak);
      keep(first === -1 ? rest : rest.subarray(0, first));
      if (first === -1) return;
      close();
      rest = rest.subarray(first + 1);
    }
    const last = rest.lastIndexOf(lineBreak);
    if (last > 0) whole(rest.subarray(0, last));
    keep(rest.subarray(last + 1));
  }

  function next(): Line | undefined {
    for (;;) {
      const line = broken.shift() ?? nextOfText();
      if (line) return line;
      const piece = pieces.shift();
      if (piece === undefined) return undefined;
      if (piece === dropped) return tooLarge;
      wholeInBytes -= piece.length;
      const found = read(piece);
      if (found === undefined) broken = linesOfBroken(piece, longestInBytes);
      else {
        text = found;
        at = 0;
      }
    }
  }

  function nextOfText(): Line | undefined {
    while (at < text.length) {
      const end = text.indexOf("\n", at);
      const line = text.slice(at, end === -1 ? text.length : end);
      at = end === -1 ? text.length : end + 1;
      if (isLonger(line, longestInBytes)) return tooLarge;
      if (line.length > 2 || line.trim() !== "") return { text: line };
    }
    text = "";
    return undefined;
  }

  return {
    add,
    end: close,
    isBegun: () => begun.length > 0 || isDropped,
    next,
    waitingInBytes: () => wholeInBytes,
    isTooLong: () => isDropped,
  };
}

/** A character takes up to three bytes, two that make one up to four. */
function isLonger(line: string, longestInBytes: number): boolean {
  if (line.length * 3 <= longestInBytes) return false;
  return line.length > longestInBytes || Buffer.byteLength(line) > longestInBytes;
}

/** One by one: the good ones among them are good. */
function linesOfBroken(piece: Buffer, longestInBytes: number): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at <= piece.length; ) {
    const found = piece.indexOf(lineBreak, at);
    const end = found === -1 ? piece.length : found;
    const text = end - at > longestInBytes ? undefined : textOf(piece.subarray(at, end));
    if (end - at > longestInBytes) lines.push(tooLarge);
    else if (text === undefined) lines.push({ because: "input_invalid" });
    else if (text.trim() !== "") lines.push({ text });
    at = end + 1;
  }
  return lines;
}
