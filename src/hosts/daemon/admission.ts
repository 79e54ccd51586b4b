/** Who may ask the daemon anything: programs of this machine that hold the token. Web pages may not, whatever name they reach it by. */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { isPrivate } from "../../files/write.ts";
import type { Call } from "./call.ts";
import type { RefusalCode } from "./refusals.ts";

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
    return isOfPage ? "forbidden_origin" : undefined;
  };
}

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
    return isPrivate(file) ? readFileSync(file, "utf8").trim() : "";
  } catch {
    return ""; // nothing was installed so
  }
}

/** Takes as long for a wrong one as for a right one, also where their lengths differ. */
export const isSame = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
const digest = (value: string | Uint8Array): Buffer => createHash("sha256").update(value).digest();
