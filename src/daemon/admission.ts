/** Who may ask the daemon anything: programs of this machine that hold the token. Web pages may not, whatever name they reach it by. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { RefusalCode } from "./refusals.ts";

type Asking = Pick<Request, "headers">;

/** The names under which it can be called; a page that has its own name point here calls it by that (DNS rebinding). */
const ownNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

/** Why a request is refused, whoever sends it; undefined: it may be looked at. */
export function strangeness({ headers }: Asking): RefusalCode | undefined {
  const host = headers.get("host") ?? "";
  if (!ownNames.has(host.replace(/:\d{1,5}$/, "").toLowerCase())) return "forbidden_host";
  const isOfPage = headers.has("origin") || headers.has("sec-fetch-site");
  return isOfPage ? "forbidden_origin" : undefined;
}

export function holdsToken({ headers }: Asking, token: string): boolean {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return isSame(given, token);
}

/** Takes as long for a wrong one as for a right one, also where their lengths differ. */
export const isSame = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(digest(left), digest(right));
const digest = (value: string | Uint8Array): Buffer => createHash("sha256").update(value).digest();
