/** One request as node:http has read it: who may answer it, how it is answered, and its body, read whole within limits. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Refused, refusalAnswer } from "./refusals.ts";

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** It came over the socket in a private folder: its sender is the user. */
  readonly isPrivate: boolean;
  /** The daemon is being stopped: each connection ends with its answer. */
  isLast(): boolean;
}

export interface CallAnswer {
  status: number;
  /** Of our own making: no line breaks. Without content-length, which is the body's. */
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** Answers a call that is its own, now or later, and returns true. */
export type Listener = (call: Call) => boolean;

/** Without effect where the call is answered already, or where its sender has gone. */
export function reply({ response, isLast }: Call, { status, headers, body }: CallAnswer): void {
  if (response.headersSent || response.destroyed) return;
  const head: Record<string, string | number> = { ...headers, "content-length": Buffer.byteLength(body) };
  if (isLast()) head.connection = "close";
  response.writeHead(status, head);
  response.end(body);
}

/** What of a body is still on its way is not read: the connection ends with the answer. */
export function refuse(call: Call, refused: Refused): void {
  const { headers, ...answer } = refusalAnswer(refused);
  const ends = !call.request.complete || refused.status === 503;
  reply(call, { ...answer, headers: ends ? { ...headers, connection: "close" } : headers });
}

/** Calls back if the sender goes away before it is answered. */
export function whenGone({ response }: Call, callback: () => void): void {
  response.once("close", () => {
    if (!response.writableEnded) callback();
  });
}

export type Unread = "body_too_large" | "intake_full";

/** Calls back once with the bytes, or with why they were not read: also that the sender has gone before they had come. */
export type ReadBody = (call: Call, atMost: number, done: TakeBody) => void;
export type TakeBody = (read: Buffer | Unread | "gone", call: Call) => void;

/** @param togetherAtMost bytes of all bodies that are being read */
export function createBodyReader(togetherAtMost: number): ReadBody {
  let together = 0;

  function receive(call: Call, atMost: number, done: TakeBody): void {
    const { request } = call;
    let chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const end = (read: Buffer | Unread | "gone"): void => {
      if (isOver) return;
      isOver = true;
      together -= size;
      chunks = [];
      done(read, call);
    };
    request.on("data", (chunk: Buffer) => {
      if (isOver) return;
      size += chunk.length;
      together += chunk.length;
      chunks.push(chunk);
      if (size > atMost) end("body_too_large");
      else if (together > togetherAtMost) end("intake_full");
    });
    request.on("end", () => {
      const [only] = chunks;
      end(chunks.length === 1 && only ? only : Buffer.concat(chunks, size));
    });
    request.on("error", () => end("gone"));
  }

  return (call, atMost, done) => {
    const announced = Number(call.request.headers["content-length"] ?? 0);
    if (announced > atMost) done("body_too_large", call);
    else if (together + announced > togetherAtMost) done("intake_full", call);
    else receive(call, atMost, done);
  };
}
