/** Output as it comes → whole lines. Apart because a program may write in pieces of any size, and without end. */

export interface AnswerLines {
  /** False once a line is too long; nothing more is read then. */
  take(chunk: Uint8Array): boolean;
}

const lineBreak = 10;

/** @param hear called with each line that is not blank; false: enough */
export function createAnswerLines(longestInBytes: number, hear: (line: string) => boolean): AnswerLines {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let isOver = false;

  function keep(piece: Uint8Array): boolean {
    pieces.push(piece);
    size += piece.byteLength;
    return size <= longestInBytes;
  }

  function wholeLine(chunk: Buffer, start: number, end: number): string {
    if (size === 0) return chunk.toString("utf8", start, end);
    const line = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString(); // a character may lie in two pieces
    pieces = [];
    size = 0;
    return line;
  }

  return {
    take(given) {
      const chunk = Buffer.isBuffer(given) ? given : Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      let start = 0;
      while (start < chunk.length && !isOver) {
        const end = chunk.indexOf(lineBreak, start);
        if (end < 0) break;
        isOver = size + end - start > longestInBytes;
        if (isOver) return false;
        const line = wholeLine(chunk, start, end);
        start = end + 1;
        if (line.trim() !== "") isOver = !hear(line);
      }
      if (!isOver && start < chunk.length && !keep(chunk.subarray(start))) {
        isOver = true;
        return false;
      }
      return true;
    },
  };
}
