/** Many events of one sender, a JSON text on each line: taken in their order, and answered in their order. */
import type { Socket } from "node:net";
import { createLines } from "../../files/lines.ts";
import { type Ingest, largestInBytes, lineOf } from "./ingest.ts";
import type { IngestQueue, Source } from "./ingest-queue.ts";

interface LinesTaken {
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

interface LinesOptions {
  ingest: Ingest;
  queue: IngestQueue;
  /** Told the answers that are next, each a line, in the order of the lines. */
  answers(lines: string): void;
  /** Called once: it has ended, and everything has its answer. */
  done?(): void;
}

export function takeLines({ ingest, queue, answers, done = () => {} }: LinesOptions): LinesTaken {
  const lines = createLines(largestInBytes);
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

/** Events as JSON lines over the daemon's unix socket: each line is answered by one, in their order, and the next may be sent before that. */
interface SocketLinesOptions {
  ingest: Ingest;
  queue: IngestQueue;
  /** Milliseconds without a byte, in the middle of a line or of answers that are not read; default: 30 seconds. */
  stalledAtMost?: number;
}

interface SocketLines {
  /** Takes what this sender sends, for as long as it is there. The socket has to stay open for answers when its sender ends. */
  serve(socket: Socket): void;
  /** Takes nothing new, and gives what was taken a moment for its answers. Safe to call twice. */
  close(): void;
}

const answersWithin = 2_000;
const sendersAtMost = 100;
const usualStall = 30_000;
/** Of one sender: whole lines that were not looked at, and answers that it has not been given. */
const bytesAtMost = 512 * 1024;
const answersAtMost = 10_000;

export function createSocketLines(options: SocketLinesOptions): SocketLines {
  const senders = new Map<Socket, LinesTaken>();
  let isClosing = false;
  return {
    serve(socket) {
      if (isClosing || senders.size >= sendersAtMost) return void socket.destroy();
      senders.set(socket, take(socket, options));
      socket.on("close", () => senders.delete(socket));
    },
    close() {
      if (isClosing) return;
      isClosing = true;
      for (const [socket, lines] of senders) {
        socket.pause();
        lines.end();
        const end = setTimeout(() => socket.destroy(), answersWithin);
        socket.on("close", () => clearTimeout(end));
      }
    },
  };
}

/** It is read only while there is room for what it sends, and while it reads what it is answered. */
function take(socket: Socket, { ingest, queue, stalledAtMost = usualStall }: SocketLinesOptions): LinesTaken {
  let isPaused = false;
  let isUnread = false; // answers wait until it reads
  const lines = takeLines({
    ingest,
    queue,
    answers(text) {
      if (socket.writable && !socket.write(text)) {
        isUnread = true;
        lines.hold(true);
      } else if (isPaused) goOn();
    },
    done: () => socket.end(),
  });

  function goOn(): void {
    if (isUnread) return; // it comes when it has read
    const { bytes, answers } = lines.waiting();
    if (bytes > bytesAtMost / 2 || answers > answersAtMost / 2) return; // an answer of its own comes
    if (queue.isFull()) return void queue.whenFree(goOn);
    isPaused = false;
    socket.resume();
  }

  /** The line comes behind the answers, for a sender that reads on after all. */
  function giveUp(): void {
    socket.end(`${lineOf({ refused: "answers_unread" })}\n`);
    const end = setTimeout(() => socket.destroy(), answersWithin);
    socket.on("close", () => clearTimeout(end));
  }

  socket.on("data", (chunk: Buffer) => {
    lines.add(chunk);
    const { bytes, answers } = lines.waiting();
    if (!queue.isFull() && bytes <= bytesAtMost && answers <= answersAtMost) return;
    isPaused = true;
    socket.pause();
    if (bytes <= bytesAtMost / 2 && answers <= answersAtMost / 2) queue.whenFree(goOn);
  });
  socket.setTimeout(stalledAtMost, () => {
    if (isUnread) giveUp();
    else if (lines.isBegun() && !isPaused) socket.destroy();
  });
  socket.on("drain", () => {
    if (!socket.writable) return;
    isUnread = false;
    lines.hold(false);
    if (isPaused) goOn();
  });
  socket.on("end", () => lines.end());
  socket.on("error", () => {}); // its sender is gone: `close` comes behind it
  socket.on("close", () => lines.drop());
  return lines;
}
