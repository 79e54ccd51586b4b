/** Whether a message from outside was signed by someone who has the secret: as Standard Webhooks says, and as GitHub does. */
import { createHmac } from "node:crypto";
import type { Instant } from "../../engine/event.ts";
import { isSame } from "./call.ts";

export interface SignedMessage {
  /** Of the request, in lower case. */
  header(name: string): string | undefined;
  /** As it was sent: the signature is over these very bytes. */
  body: Buffer;
}
export type Verified =
  | { is: "signed"; id: string /** What GitHub says happened. */; github?: string }
  | { is: "refused"; because: "signature_invalid" | "timestamp_invalid"; message: string };

/** @param secrets as in the settings: several, with spaces between, while one takes the place of another */
export function verify(message: SignedMessage, secrets: string, now: Instant): Verified {
  const written = secrets.split(/\s+/).filter((secret) => secret !== "");
  const isOfGithub = message.header("webhook-id") === undefined && message.header(githubSignature) !== undefined;
  return isOfGithub
    ? verifyGithub(
        message,
        [secrets.trim(), ...written].filter((one) => one !== ""),
      )
    : verifyStandard(message, written, now);
}

/** Seconds that the clocks of both sides may differ by, with the time that the message took. */
const tolerance = 300;
const longestId = 256;

/** Standard Webhooks (standardwebhooks.com, version 1): signed lately, too. */
function verifyStandard({ header, body }: SignedMessage, secrets: readonly string[], now: Instant): Verified {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(header);
  if (!id || !timestamp || !signatures || id.length > longestId)
    return unsigned(
      `it needs the headers webhook-id, webhook-timestamp and webhook-signature, or GitHub's ${githubSignature}`,
    );
  if (!/^\d{1,12}$/.test(timestamp)) return unsigned("webhook-timestamp is a number of seconds");
  const keys = secrets.flatMap((secret) => keyOf(secret) ?? []);
  const right = keys.map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest());
  const given = signatures.split(" ").flatMap((one) => (one.startsWith("v1,") ? [one.slice("v1,".length)] : []));
  const fits = given.some((one) => right.some((signature) => isSame(Buffer.from(one, "base64"), signature)));
  if (!fits) return unsigned(unfit);
  const skew = Math.abs(now / 1000 - Number(timestamp));
  if (skew <= tolerance) return { is: "signed", id };
  const message = `the message was signed ${Math.round(skew)} seconds away from now`;
  return { is: "refused", because: "timestamp_invalid", message };
}

const githubSignature = "x-hub-signature-256";

/** GitHub signs the body alone, with the secret as it was typed there; no time is part of it. */
function verifyGithub({ header, body }: SignedMessage, secrets: readonly string[]): Verified {
  const [id, name, signature = ""] = ["x-github-delivery", "x-github-event", githubSignature].map(header);
  if (!id || !name || id.length > longestId)
    return unsigned("it needs the headers x-github-delivery and x-github-event");
  const given = /^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1] ?? "";
  const isRight = (secret: string): boolean =>
    isSame(Buffer.from(given, "hex"), createHmac("sha256", secret).update(body).digest());
  return secrets.some(isRight) ? { is: "signed", id, github: name } : unsigned(unfit);
}

const unfit = "the signature does not fit: the secrets of both sides differ, or the body was changed";
const unsigned = (message: string): Verified => ({ is: "refused", because: "signature_invalid", message });

/** What the secret means; undefined: it is none, so nothing can be signed with it. */
function keyOf(secret: string): Buffer | undefined {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return key.length > 0 ? key : undefined;
}
