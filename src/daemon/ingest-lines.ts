/** Many events of one sender, a JSON text on each line: taken in their order, and answered in their order. */
import type { Ingest } from "./ingest.ts";
import { lineOf } from "./ingest.ts";
import type { IngestQueue, Source } from "./ingest-queue.ts";
import { largestInBytes, textOf } from "./sent-event.ts";

export interface LinesTaken {
  add(bytes: Buffer): void;
  /** No more will come. */
  end(): void;
  /** Its sender does not read answers now: nothing more is taken until it does. */
  hold(isHeld: boolean): void;
  /** Nothing of it is taken any more. */
  drop(): void;
  /** What was added and is not taken yet, and how many of those that were taken have no answer yet. */
  waiting(): { bytes: number; answers: number };
  /** Whether it stands in the middle of a line. */
  isBegun(): boolean;
}

export interface LinesOptions {
  ingest: Ingest;
  queue: IngestQueue;
  /** Told the answers that are next, each a line, in the order of the lines. */
  answers(lines: string): void;
  /** Called once: it has ended, and everything has its answer. */
  done?(): void;
}

export function takeLines({ ingest, queue, answers, done = () => {} }: LinesOptions): LinesTaken {
  const lines = createLines();
  const slots: (string | undefined)[] = []; // of lines that were taken, in their order
  let first = 0; // of the first slot, as a number of all lines
  let held = 0; // bytes that the queue holds for what waits and may be taken
  let isHeld = false;
  let isAnswering = false;
  let isEnded = false; // no more will come
  let isDone = false;

  /** What a held sender keeps waiting takes no room from others: its reader bounds that. */
  function account(): void {
    const waiting = isHeld ? 0 : lines.waitingInBytes();
    if (waiting > held) queue.hold(0, waiting - held);
    else if (waiting < held) queue.release(0, held - waiting);
    held = waiting;
  }

  function answered(number: number, text: string, size: number): void {
    slots[number - first] = text;
    queue.release(1, size);
    if (isAnswering || slots[0] === undefined) return;
    isAnswering = true;
    queueMicrotask(respond); // with the others that are answered just now
  }

  function respond(): void {
    isAnswering = false;
    let count = 0;
    let text = "";
    for (; slots[count] !== undefined; count++) text += `${slots[count]}\n`;
    slots.splice(0, count);
    first += count;
    if (count > 0) answers(text);
    endIfDone();
  }

  function endIfDone(): void {
    if (!isEnded || isDone || slots.length > 0 || queue.isWaiting(source)) return;
    isDone = true;
    done();
  }

  const source: Source = {
    next() {
      if (isHeld) return false;
      const line = lines.next();
      account();
      if (line === undefined) {
        if (isEnded && slots.length === 0) queueMicrotask(endIfDone);
        return false;
      }
      const number = first + slots.length;
      slots.push(undefined);
      if ("because" in line) {
        queue.hold(1, 0);
        answered(number, lineOf({ refused: line.because }), 0);
        return true;
      }
      const size = line.text.length;
      queue.hold(1, size);
      return ingest.take(line.text, (answer) => answered(number, lineOf(answer), size)) ?? true;
    },
  };

  return {
    add(bytes) {
      lines.add(bytes);
      account();
      queue.wake(source);
    },
    end() {
      isEnded = true;
      lines.end();
      account();
      queue.wake(source);
    },
    hold(now) {
      isHeld = now;
      account();
      if (!isHeld) queue.wake(source);
    },
    drop() {
      isHeld = true;
      account();
    },
    waiting: () => ({ bytes: lines.waitingInBytes(), answers: slots.length }),
    isBegun: lines.isBegun,
  };
}

/* Cuts what arrives in pieces into lines. A piece becomes text as a whole: line by line that would cost more than to read what the lines say. */

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
}

const lineBreak = 10;
const tooLarge: Line = { because: "line_too_large" };
/** Stands for a line that was dropped as it came in. */
const dropped = Buffer.alloc(0);

export function createLines(): Lines {
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
    if (begunInBytes <= largestInBytes) return;
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
      const found = broken.shift() ?? nextOfText();
      if (found) return found;
      const piece = pieces.shift();
      if (piece === undefined) return undefined;
      if (piece === dropped) return tooLarge;
      wholeInBytes -= piece.length;
      const read = textOf(piece);
      if (read === undefined) broken = linesOfBroken(piece);
      else {
        text = read;
        at = 0;
      }
    }
  }

  function nextOfText(): Line | undefined {
    while (at < text.length) {
      const end = text.indexOf("\n", at);
      const line = text.slice(at, end === -1 ? text.length : end);
      at = end === -1 ? text.length : end + 1;
      if (isTooLarge(line)) return tooLarge;
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
  };
}

/** A character takes up to three bytes, two that make one up to four. */
const isTooLarge = (line: string): boolean =>
  line.length * 3 > largestInBytes && (line.length > largestInBytes || Buffer.byteLength(line) > largestInBytes);

/** One by one: the good ones among them are good. */
function linesOfBroken(piece: Buffer): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at <= piece.length; ) {
    const found = piece.indexOf(lineBreak, at);
    const end = found === -1 ? piece.length : found;
    const text = end - at > largestInBytes ? undefined : textOf(piece.subarray(at, end));
    if (end - at > largestInBytes) lines.push(tooLarge);
    else if (text === undefined) lines.push({ because: "input_invalid" });
    else if (text.trim() !== "") lines.push({ text });
    at = end + 1;
  }
  return lines;
}
