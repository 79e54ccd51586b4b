/** Who may ask the daemon anything: programs of this machine that hold the token. Web pages may not, whatever name they reach it by. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { RefusalCode } from "./refusals.ts";

/** What Node has read of a request's head; names in lower case. */
export type Head = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The names under which it can be called; a page that has its own name point here calls it by that (DNS rebinding). */
const ownNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

/** Why a request is refused, whoever sends it; undefined: it may be looked at. */
export function strangeness({ headers }: Pick<Request, "headers">): RefusalCode | undefined {
  if (!isOwnName(headers.get("host") ?? "")) return "forbidden_host";
  return headers.has("origin") || headers.has("sec-fetch-site") ? "forbidden_origin" : undefined;
}

/** The same of a head that Node has read, on every event: nearly all call it by one name. */
export function createStrangeness(): (head: Head) => RefusalCode | undefined {
  let usual: unknown;
  return (head) => {
    const { host } = head;
    if (host === undefined || host !== usual) {
      if (!isOwnName(String(host ?? ""))) return "forbidden_host";
      usual = host;
    }
    return ofPage(head);
  };
}

/** Requests of web pages say so, whatever they reach. */
export const ofPage = (head: Head): RefusalCode | undefined =>
  head.origin === undefined && head["sec-fetch-site"] === undefined ? undefined : "forbidden_origin";

const isOwnName = (host: string): boolean => ownNames.has(host.replace(/:\d{1,5}$/, "").toLowerCase());

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

/** Takes as long for a wrong one as for a right one, also where their lengths differ. */
export const isSame = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
const digest = (value: string | Uint8Array): Buffer => createHash("sha256").update(value).digest();
