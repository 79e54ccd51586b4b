/**
 * The first reader of each connection. What comes as one whole plain request (plain-request.ts) is put to the doors at once; with
 * the first bytes that are anything else, the connection goes to node:http for good, which knows all forms and has the time limits
 * of whoever sends slowly. So nothing is ever waited for here but answers, and the next request.
 */
import type { Socket } from "node:net";
import type { Call, Door } from "./call.ts";
import { createAnswerWriter, processing } from "./plain-answer.ts";
import { createPlainReader, type PlainHead } from "./plain-request.ts";

export interface PlainLaneOptions {
  /** Asked in this order. */
  doors: readonly Door[];
  isPrivate: boolean;
  /** Milliseconds until the first bytes, and between two requests. */
  limits: { headersTimeout: number; keepAliveTimeout: number };
  /** Takes the connection over; all that nobody has answered comes out of it again. */
  toNode(socket: Socket): void;
  /** The same where the first byte begins no request; absent: that is for node:http, too. */
  toOthers?(socket: Socket): void;
}

export interface PlainLane {
  serve(socket: Socket): void;
  /** Ends those that wait for nothing, the others with their answer. */
  close(): void;
  /** Ends all that are left. */
  destroy(): void;
}

interface Connection {
  isBusy(): boolean;
}

export function createPlainLane(options: PlainLaneOptions): PlainLane {
  const connections = new Map<Socket, Connection>();
  const shared: Shared = {
    ...options,
    read: createPlainReader(),
    write: createAnswerWriter(options.limits.keepAliveTimeout / 1000),
    isClosing: false,
    left: (socket) => connections.delete(socket),
  };
  return {
    serve(socket) {
      connections.set(socket, attend(socket, shared));
    },
    close() {
      shared.isClosing = true;
      for (const [socket, { isBusy }] of connections) if (!isBusy()) socket.destroySoon();
    },
    destroy() {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}

interface Shared extends PlainLaneOptions {
  read: ReturnType<typeof createPlainReader>;
  write: ReturnType<typeof createAnswerWriter>;
  isClosing: boolean;
  /** It is not this lane's any more. */
  left(socket: Socket): void;
}

function attend(socket: Socket, shared: Shared): Connection {
  const { doors, isPrivate, limits, read, write } = shared;
  let current: Call | undefined; // has no answer yet
  let gone: (() => void) | undefined; // asked for by the current one
  let isFirst = true;
  let hasEnded = false; // its sender sends no more
  const waiting: Buffer[] = [];
  let waitingInBytes = 0;

  /** What comes meanwhile waits, and is read on: nothing else tells that its sender goes away. Of much the socket keeps the rest. */
  function take(bytes: Buffer): void {
    if (!socket.writable) return; // it has had its last answer
    if (!current && waiting.length === 0 && !socket.writableNeedDrain) return void begin(bytes);
    waiting.push(bytes);
    waitingInBytes += bytes.length;
    if (waitingInBytes > waitingAtMost) socket.pause();
  }

  function begin(bytes: Buffer): void {
    if (isFirst && shared.toOthers && !beginsRequest(bytes)) return void hand(shared.toOthers, bytes);
    const head = read(bytes);
    if (!head || !isTaken(head, bytes)) return void hand(shared.toNode, bytes);
    if (isFirst) socket.setTimeout(limits.keepAliveTimeout);
    isFirst = false;
  }

  function isTaken(head: PlainHead, bytes: Buffer): boolean {
    const call = callOf(head, bytes);
    current = call;
    for (const door of doors) if (door(call)) return true;
    current = undefined;
    return false;
  }

  function callOf({ url, headers, size, isLast }: PlainHead, bytes: Buffer): Call {
    const body = bytes.subarray(size);
    const call: Call = {
      method: "POST",
      url,
      headers,
      isPrivate,
      body,
      receive(piece, end) {
        if (body.length > 0) piece(body);
        end();
      },
      isWhole: always,
      processing() {
        if (current === call && socket.writable) socket.write(processing, "latin1");
      },
      reply(answer) {
        if (current !== call) return;
        current = undefined;
        gone = undefined;
        if (!socket.writable) return;
        const hasMore = waiting.length > 0;
        const written = write(answer, isLast || (hasEnded && !hasMore) || shared.isClosing);
        const hasRoom = socket.write(written.bytes, written.encoding);
        if (written.isLast) socket.destroySoon();
        else if (hasRoom && hasMore) process.nextTick(goOn); // not within whoever answers
      },
      whenGone(callback) {
        if (current !== call) return;
        gone = callback;
        if (hasEnded) process.nextTick(leaveIfDone);
      },
    };
    return call;
  }

  /** One piece at a time: as it was sent, it is more likely to be a whole request. */
  function goOn(): void {
    if (current || socket.writableNeedDrain || !socket.writable) return;
    const bytes = waiting.shift();
    if (!bytes) return;
    waitingInBytes -= bytes.length;
    if (waitingInBytes <= waitingAtMost && socket.isPaused()) socket.resume();
    begin(bytes);
  }

  /** Nothing that still waits is done for one who is gone. */
  function leave(): void {
    waiting.length = 0;
    const tell = gone;
    gone = undefined;
    tell?.();
  }

  function end(): void {
    hasEnded = true;
    leaveIfDone();
  }

  /** Who works for this sender alone stops; other answers are still to be read by one that only sends no more. */
  function leaveIfDone(): void {
    if (current ? !gone : waiting.length > 0) return;
    socket.destroySoon();
    leave();
  }

  function close(): void {
    shared.left(socket);
    leave();
  }

  function rest(): void {
    if (!current) socket.destroy();
  }

  function hand(to: (socket: Socket) => void, bytes: Buffer): void {
    socket.pause();
    socket.setTimeout(0);
    for (const [event, listener] of listeners) socket.off(event, listener);
    shared.left(socket);
    to(socket);
    const rest = waiting.length > 0 ? Buffer.concat([bytes, ...waiting.splice(0)]) : bytes;
    if (hasEnded) return void replay(socket, rest);
    socket.unshift(rest);
    socket.resume();
  }

  const listeners: [string, (bytes: Buffer) => void][] = [
    ["data", take],
    ["drain", goOn],
    ["end", end],
    ["timeout", rest],
    ["error", ignored],
    ["close", close],
  ];
  for (const [event, listener] of listeners) socket.on(event, listener);
  socket.setTimeout(limits.headersTimeout);
  return { isBusy: () => current !== undefined };
}

/** Behind a request that is worked on; of more, no more is read. */
const waitingAtMost = 65_536;
const always = (): boolean => true;
const ignored = (): void => {}; // `close` comes behind it

/** A stream takes nothing back behind its end, which comes a turn after the bytes, as from a stream. */
function replay(socket: Socket, bytes: Buffer): void {
  socket.emit("data", bytes);
  setImmediate(() => {
    if (!socket.destroyed) socket.emit("end");
  });
}

/** Whoever speaks HTTP begins with the name of a method. */
function beginsRequest(bytes: Buffer): boolean {
  const first = bytes[0] ?? 0;
  return first >= 0x41 && first <= 0x5a;
}
