/** Events as JSON lines over the daemon's unix socket: each line is answered by one, in their order, and the next may be sent before that. */
import type { Socket } from "node:net";
import { type Ingest, lineOf } from "./ingest.ts";
import { type LinesTaken, takeLines } from "./ingest-lines.ts";
import type { IngestQueue } from "./ingest-queue.ts";

export interface SocketLinesOptions {
  ingest: Ingest;
  queue: IngestQueue;
  /** Milliseconds without a byte, in the middle of a line or of answers that are not read; 30 seconds unless said. */
  stalledAtMost?: number;
}

export interface SocketLines {
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
