/** Cuts a program's output into lines, however its chunks fall. */

/** A line may grow to this before it is given up: a server that never ends one must not fill our memory. */
const longestLine = 32 << 20;

/** @param onLine each complete line; `tooLong` once, instead of a line that has no end */
export function createLineReader(onLine: (line: string) => void, tooLong: () => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let pending = "";
  let isOver = false;
  return (chunk) => {
    if (isOver) return;
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      onLine(pending + line);
      pending = "";
    }
    pending += rest;
    if (pending.length <= longestLine) return;
    isOver = true;
    pending = "";
    tooLong();
  };
}
