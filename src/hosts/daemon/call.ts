/** One request as node:http has read it: who may answer it, how it is answered, and its body, read whole within limits. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { isPrivate } from "../../files/write.ts";
import { type RefusalCode, type Refused, refusalAnswer } from "./refusals.ts";

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

export const json = (status: number, body: unknown): CallAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Answers a call that is its own, now or later, and returns true. */
export type Listener = (call: Call) => boolean;

/** Without effect where the call is answered already, or where its sender has gone. */
export function reply({ request, response, isLast }: Call, { status, headers, body }: CallAnswer): void {
  if (response.headersSent || response.destroyed) return;
  const head: Record<string, string | number> = { ...headers, "content-length": Buffer.byteLength(body) };
  if (isLast()) head.connection = "close";
  response.writeHead(status, head);
  if (request.complete || head.connection !== "close") return void response.end(body);
  response.write(body);
  endAfter(request, () => response.end());
}

/** What a refused sender still sends is thrown away for a while: a connection that ends with unread bytes is reset, and the answer with it. */
function endAfter(request: IncomingMessage, end: () => void): void {
  let left = thrownAwayInBytes;
  const timer = setTimeout(end, thrownAwayFor);
  const over = (): void => {
    clearTimeout(timer);
    end();
  };
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) over();
  });
  request.once("end", over);
  request.once("close", over);
  request.once("error", over);
  request.resume();
}
const thrownAwayFor = 1_000;
const thrownAwayInBytes = 16 * 1024 * 1024;

/** What of a body is still on its way is not kept: the connection ends with the answer. */
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
type ReadBody = (call: Call, atMost: number, done: TakeBody) => void;
type TakeBody = (read: Buffer | Unread | "gone") => void;

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
      done(read);
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
    if (announced > atMost) done("body_too_large");
    else if (together + announced > togetherAtMost) done("intake_full");
    else receive(call, atMost, done);
  };
}

// Who may ask the daemon anything: programs of this machine that hold the token. Web pages may not, whatever name
// they reach it by.

/** A page that has its own name point here calls the daemon by that name (DNS rebinding). */
const ownNames = ["127.0.0.1", "localhost"];
const httpPort = 80;

/**
 * Why a request is refused, whatever its token; undefined: it may be looked at. Its Host is this daemon's own address and port,
 * but for webhooks, which come through a tunnel under another name: their signature says who they are from.
 *
 * @param port the daemon's own, asked when it listens
 */
export function createAdmission(
  port: () => number,
): (call: Pick<Call, "request" | "isPrivate">) => RefusalCode | undefined {
  let own: ReadonlySet<string> | undefined;
  return ({ request, isPrivate: isLocal }) => {
    const { headers } = request;
    own ??= ownHosts(port());
    const { host = "" } = headers;
    if (!isLocal && !own.has(host) && !own.has(host.toLowerCase()) && !isWebhook(request)) return "forbidden_host";
    const isOfPage = headers.origin !== undefined || headers["sec-fetch-site"] !== undefined; // requests of web pages say so
    return isOfPage && !isOfOwnPage(request) ? "forbidden_origin" : undefined;
  };
}

/** Pages of the daemon, and what those ask: nothing that another page sends, or has a person follow. */
function isOfOwnPage({ headers, url = "" }: IncomingMessage): boolean {
  const { host, origin = `http://${host}`, "sec-fetch-site": from = "same-origin" } = headers;
  const isOwn = isOfDashboard(url) || isOfSite(url);
  return isOwn && origin === `http://${host}` && (from === "same-origin" || from === "none");
}

export const isOfDashboard = (url: string): boolean => /^\/(?:$|\?|assets\/|api\/)/.test(url);

/** The documentation. */
export const isOfSite = (url: string): boolean => /^\/docs(?:[/?]|$)/.test(url);

const ownHosts = (port: number): ReadonlySet<string> =>
  new Set(ownNames.flatMap((name) => [`${name}:${port}`, ...(port === httpPort ? [name] : [])]));

/** Nothing that a URL reader would take for another path. */
const isWebhook = ({ method, url = "" }: IncomingMessage): boolean =>
  method === "POST" && /^\/webhooks\/[^/?#\\]+(?:\?|$)/.test(url);

/** Whether an Authorization header holds the token. What it is compared with is made once, and its length is no secret. */
export function createBearer(token: string): (authorization: unknown) => boolean {
  const expected = Buffer.from(token);
  const given = Buffer.alloc(expected.length);
  return (authorization) => {
    if (typeof authorization !== "string") return false;
    const start = bearerEnd(authorization);
    if (start < 0 || authorization.length - start !== expected.length) return false;
    if (given.write(authorization.slice(start), "latin1") !== expected.length) return false;
    return timingSafeEqual(given, expected);
  };
}

/** Where the token begins; below zero: it is no bearer's. */
function bearerEnd(authorization: string): number {
  if (authorization.startsWith("Bearer ") && authorization[7] !== " ") return 7;
  const [head] = /^Bearer +/i.exec(authorization) ?? [];
  return head?.length ?? -1;
}

/** How long a token that was read is believed: after that it may have been taken back. */
const believedFor = 1_000;
const shortestToken = 16;

/**
 * The token of agents' own HTTP hooks. It stands in their settings and so outlives the daemon, which reads it as installation
 * writes and removes it.
 *
 * @param file where another user may read it, it holds none. @returns whether an Authorization header holds the token
 */
export function createHttpToken(file: string, elapsed: () => number): (authorization: unknown) => boolean {
  let token = "";
  let holds: (authorization: unknown) => boolean = () => false;
  let readAt = Number.NEGATIVE_INFINITY;

  function read(): void {
    readAt = elapsed();
    const found = tokenIn(file);
    if (found === token) return;
    token = found;
    holds = token.length < shortestToken ? () => false : createBearer(token);
  }

  return (authorization) => {
    if (elapsed() - readAt <= believedFor && holds(authorization)) return true;
    read();
    return holds(authorization);
  };
}

function tokenIn(file: string): string {
  try {
    return isPrivate(file) ? readRegularTextSync(file).trim() : "";
  } catch {
    return ""; // nothing was installed so
  }
}

/** Takes as long for a wrong one as for a right one, also where their lengths differ. */
export const isSame = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
const digest = (value: string | Uint8Array): Buffer => createHash("sha256").update(value).digest();
