/** Cuts what arrives in pieces into lines, each up to a limit. */
import { isUtf8 } from "node:buffer";

/** A line's text, or why it cannot be read. */
export type Line = { text: string } | { because: "line_too_large" | "input_invalid" };

export interface Lines {
  /** The lines that end in these bytes, read as they are asked for. Blank ones are left out. */
  add(bytes: Buffer): Iterable<Line>;
  /** What stands behind the last line break is a line, too. */
  end(): Iterable<Line>;
  /** Whether a line's end is still to come. */
  isBegun(): boolean;
  /** The line that is begun is already longer than a line may be. */
  isTooLong(): boolean;
}

const lineBreak = 10;

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
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (const line of lines.add(bytes)) {
      isOver = !("text" in line) || !hear(line.text);
      if (isOver) return "text" in line;
    }
    isOver = lines.isTooLong();
    return !isOver;
  };
}

/** @param read the text of bytes; undefined: they cannot be read */
export function createLines(longestInBytes: number, read: (bytes: Buffer) => string | undefined = textOf): Lines {
  let begun: Buffer[] = []; // of the line whose end is still to come; of one that is too long, nothing
  let size = 0; // of that line

  function keep(bytes: Buffer): void {
    size += bytes.length;
    if (size > longestInBytes) begun = [];
    else if (bytes.length > 0) begun.push(bytes);
  }

  function* close(): Iterable<Line> {
    const bytes = begun.length === 1 && begun[0] ? begun[0] : Buffer.concat(begun);
    const isTooLong = size > longestInBytes;
    begun = [];
    size = 0;
    const text = isTooLong ? undefined : read(bytes);
    if (text === undefined) yield { because: isTooLong ? "line_too_large" : "input_invalid" };
    else if (text.trim() !== "") yield { text };
  }

  return {
    *add(bytes) {
      let from = 0;
      for (let at = bytes.indexOf(lineBreak); at !== -1; at = bytes.indexOf(lineBreak, from)) {
        keep(bytes.subarray(from, at));
        from = at + 1;
        yield* close();
      }
      keep(bytes.subarray(from));
    },
    end: close,
    isBegun: () => size > 0,
    isTooLong: () => size > longestInBytes,
  };
}
