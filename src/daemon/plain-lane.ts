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

  /** What comes meanwhile waits in the socket, which reads no more than it can hold. */
  function take(bytes: Buffer): void {
    if (current || socket.writableNeedDrain) {
      socket.pause();
      socket.unshift(bytes);
      return;
    }
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
        const written = write(answer, isLast || hasEnded || shared.isClosing);
        const hasRoom = socket.write(written.bytes, written.encoding);
        if (written.isLast) socket.destroySoon();
        else if (hasRoom) goOn();
      },
      whenGone(callback) {
        if (current === call) gone = callback;
      },
    };
    return call;
  }

  function goOn(): void {
    if (!current && socket.isPaused()) socket.resume();
  }

  function leave(): void {
    const tell = gone;
    gone = undefined;
    tell?.();
  }

  /** Who works for this sender alone stops; another answer is still to be read by one that only sends no more. */
  function end(): void {
    hasEnded = true;
    if (!current || gone) socket.destroySoon();
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
    socket.unshift(bytes);
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

const always = (): boolean => true;
const ignored = (): void => {}; // `close` comes behind it

/** Whoever speaks HTTP begins with the name of a method. */
function beginsRequest(bytes: Buffer): boolean {
  const first = bytes[0] ?? 0;
  return first >= 0x41 && first <= 0x5a;
}
