/** Events from outside this machine: signed webhooks become application events (specification 000, R62). */
import { createHash, createHmac } from "node:crypto";
import type { EventName, Fields, HookEvent, Instant } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Store } from "../../engine/record.ts";
import { isRecord } from "../../engine/schema.ts";
import type { InboundWebhook } from "../../formats/config/config.ts";
import { isApplicationEvent } from "../../formats/config/keys.ts";
import { type CallAnswer, isSame, json } from "./call.ts";
import { brief, objectIn, withoutDepthField } from "./ingest.ts";
import { type Refused, refused } from "./refusals.ts";

interface WebhooksOptions {
  emit(event: HookEvent): Promise<Outcome>;
  store: Pick<Store, "event" | "runs">;
  now(): Instant;
  /** Where events happen that do not say. */
  cwd: string;
  /** The folder of a project, if it is known. */
  workspaceOf(project: string): string | undefined;
  webhook(name: string): InboundWebhook | undefined;
  /** `${NAME}` filled from the environment. Throws Error for a variable that is not set. */
  fill(written: string): string;
}
export interface Webhooks {
  /** An answer for the sender of the message. Never rejects on account of the message. */
  deliver(name: string, message: SignedMessage): Promise<CallAnswer | Refused>;
}

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { emit, store, now } = options;
  /** Events of webhooks that are being decided, each until it has its answer. */
  const underWay = new Map<string, Promise<unknown>>();

  /** The event that a signed message means, or why it means none. */
  function eventIn(
    body: Buffer,
    { event: given, project }: InboundWebhook,
    rest: Pick<HookEvent, "id" | "sender">,
  ): HookEvent | Refused {
    const message = objectIn(body);
    if (!message) return refused("input_invalid");
    const written = given ?? (typeof message.type === "string" ? message.type : "");
    if (!isApplicationEvent(written)) {
      const found = written === "" ? "the message has no type" : `"${written}" is no application event`;
      return refused("input_invalid", `${found}, and the webhook names no event`);
    }
    const data = typeof message.type === "string" && isRecord(message.data) ? (message.data as Fields) : message; // it was JSON
    return {
      ...rest,
      name: written as EventName, // it holds a dot, as isApplicationEvent has seen
      at: now(),
      cwd: (project && options.workspaceOf(project)) ?? options.cwd,
      data: withoutDepthField(project === undefined ? data : { ...data, project_id: project }),
    };
  }

  /**
   * A message is taken once, and its event says whether it was: one that could not be written down, or that a crash left
   * without its outcome, is taken when it comes again.
   */
  async function takeUnlessTaken(event: HookEvent): Promise<CallAnswer | Refused> {
    if ((await store.event(event.id))?.outcome) return refused("webhook_repeated");
    await emit(event); // what hooks answered is no business of the sender's
    const runs = await store.runs({ eventId: event.id, limit: 1000 });
    return json(202, { event: event.id, runs: runs.map(brief) });
  }

  /** One after another, where one message comes twice at once. */
  function takeOnce(event: HookEvent): Promise<CallAnswer | Refused> {
    const before = underWay.get(event.id) ?? Promise.resolve();
    const taking = before.catch(() => {}).then(() => takeUnlessTaken(event)); // who sent the one before hears of its failure
    underWay.set(event.id, taking);
    return taking.finally(() => underWay.get(event.id) === taking && underWay.delete(event.id));
  }

  return {
    async deliver(name, message) {
      const webhook = options.webhook(name);
      if (!webhook) return refused("webhook_unknown");
      let secret: string;
      try {
        secret = options.fill(webhook.secret);
      } catch {
        return refused("failed", `the secret of the webhook ${name} is not there`);
      }
      const verified = verify(message, secret, now());
      if (verified.is === "refused") return refused(verified.because, verified.message);
      const event = eventIn(message.body, webhook, { id: idOf(name, verified.id), sender: `webhook:${name}` });
      return "error" in event ? event : takeOnce(event);
    },
  };
}

/** Of the event that a message becomes: the same for the same message, whichever sender repeats it. */
const idOf = (webhook: string, message: string): string =>
  createHash("sha256")
    .update(JSON.stringify([webhook, message]))
    .digest("hex")
    .slice(0, idLength);
const idLength = 26;

/** Standard Webhooks (standardwebhooks.com, version 1): whether a message was signed by someone who has the secret, and lately. */
interface SignedMessage {
  /** Of the request, in lower case. */
  header(name: string): string | undefined;
  /** As it was sent: the signature is over these very bytes. */
  body: Buffer;
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
