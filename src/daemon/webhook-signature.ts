/** Standard Webhooks (standardwebhooks.com, version 1): whether a message was signed by someone who has the secret, and lately. */
import { createHmac } from "node:crypto";
import type { Instant } from "../core/event.ts";
import { isSame } from "./admission.ts";

export interface SignedMessage {
  /** Of the request, in lower case. */
  header(name: string): string | undefined;
  /** As it was sent: the signature is over these very bytes. */
  body: Uint8Array;
}
export type Verified =
  | { is: "signed"; id: string }
  | { is: "refused"; because: "signature_invalid" | "timestamp_invalid"; message: string };

/** Seconds that the clocks of both sides may differ by, with the time that the message took. */
const tolerance = 300;
const longestId = 256;

/** @param secrets as in the settings: several, with spaces between, while one takes the place of another */
export function verify({ header, body }: SignedMessage, secrets: string, now: Instant): Verified {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header);
  if (!id || !timestamp || !signatures || id.length > longestId)
    return unsigned("it needs the headers webhook-id, webhook-timestamp and webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) return unsigned("webhook-timestamp is a number of seconds");
  const keys = secrets.split(/\s+/).flatMap((secret) => keyOf(secret) ?? []);
  const right = keys.map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest());
  const given = signatures.split(" ").flatMap((one) => (one.startsWith("v1,") ? [one.slice("v1,".length)] : []));
  const fits = given.some((one) => right.some((signature) => isSame(Buffer.from(one, "base64"), signature)));
  if (!fits) return unsigned("the signature does not fit: the secrets of both sides differ, or the body was changed");
  const skew = Math.abs(now / 1000 - Number(timestamp));
  if (skew <= tolerance) return { is: "signed", id };
  const message = `the message was signed ${Math.round(skew)} seconds away from now`;
  return { is: "refused", because: "timestamp_invalid", message };
}

const unsigned = (message: string): Verified => ({ is: "refused", because: "signature_invalid", message });

/** What the secret means; undefined: it is none, so nothing can be signed with it. */
function keyOf(secret: string): Buffer | undefined {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return key.length > 0 ? key : undefined;
}

/** Whether messages can be verified with it. */
export const isSecret = (secrets: string): boolean => {
  const all = secrets.split(/\s+/).filter((one) => one !== "");
  return all.length > 0 && all.every((one) => keyOf(one) !== undefined);
};
