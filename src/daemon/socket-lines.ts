/** Events as JSON lines over the daemon's unix socket: each line is answered by one, in their order, and nobody has to wait for one before sending the next. */
import type { Socket } from "node:net";
import type { Ingest } from "./ingest.ts";
import { type LinesTaken, takeLines } from "./ingest-lines.ts";
import type { Lane } from "./lane.ts";

export interface SocketLinesOptions {
  ingest: Ingest;
  lane: Lane;
}

export interface SocketLines {
  /** Takes what this sender sends, for as long as it is there. The socket has to stay open for answers when its sender ends. */
  serve(socket: Socket): void;
  /** Takes nothing new, and gives what was taken a moment for its answers. Safe to call twice. */
  close(): void;
}

const answersWithin = 2_000;
const sendersAtMost = 100;
/** Without a byte, in the middle of a line. */
const stalledAtMost = 30_000;
/** Of one sender: whole lines that nobody has looked at, and answers that it has not been given. */
const bytesAtMost = 1024 * 1024;
const answersAtMost = 10_000;

export function createSocketLines({ ingest, lane }: SocketLinesOptions): SocketLines {
  const senders = new Map<Socket, LinesTaken>();
  let isClosing = false;
  return {
    serve(socket) {
      if (isClosing || senders.size >= sendersAtMost) return void socket.destroy();
      senders.set(socket, take(socket, { ingest, lane }));
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
function take(socket: Socket, { ingest, lane }: SocketLinesOptions): LinesTaken {
  let isPaused = false;
  const lines = takeLines({
    ingest,
    lane,
    answers(text) {
      if (socket.writable && !socket.write(text)) lines.hold(true);
      if (isPaused) goOn();
    },
    done: () => socket.end(),
  });

  function goOn(): void {
    const { bytes, answers } = lines.waiting();
    if (bytes > bytesAtMost / 2 || answers > answersAtMost / 2) return; // an answer of its own comes
    if (lane.isFull()) return void lane.whenFree(goOn);
    isPaused = false;
    socket.resume();
  }

  socket.on("data", (chunk: Buffer) => {
    lines.add(chunk);
    const { bytes, answers } = lines.waiting();
    if (!lane.isFull() && bytes <= bytesAtMost && answers <= answersAtMost) return;
    isPaused = true;
    socket.pause();
    if (bytes <= bytesAtMost / 2 && answers <= answersAtMost / 2) lane.whenFree(goOn);
  });
  socket.setTimeout(stalledAtMost, () => {
    if (lines.isBegun() && !isPaused) socket.destroy();
  });
  socket.on("drain", () => lines.hold(false));
  socket.on("end", () => lines.end());
  socket.on("error", () => {}); // its sender is gone: `close` comes behind it
  socket.on("close", () => lines.drop());
  return lines;
}
