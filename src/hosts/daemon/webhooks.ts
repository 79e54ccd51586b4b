/** Events from outside this machine: signed webhooks become application events (specification 000, R62). */
import { createHash } from "node:crypto";
import type { EventName, Fields, HookEvent, Instant } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Store } from "../../engine/record.ts";
import { isRecord } from "../../engine/schema.ts";
import type { InboundWebhook } from "../../formats/config/config.ts";
import { isApplicationEvent } from "../../formats/config/keys.ts";
import { type CallAnswer, json } from "./call.ts";
import { brief, objectIn, withoutDepthField } from "./ingest.ts";
import { type Refused, refused } from "./refusals.ts";
import { type SignedMessage, verify } from "./webhook-signatures.ts";

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
    { body, github }: { body: Buffer; github: string | undefined },
    { event: given, project }: InboundWebhook,
    rest: Pick<HookEvent, "id" | "sender">,
  ): HookEvent | Refused {
    const message = objectIn(body) ?? (github === undefined ? undefined : objectIn(payloadOfForm(body)));
    if (!message) return refused("input_invalid");
    const named = github === undefined ? message.type : `github.${github}`;
    const written = given ?? (typeof named === "string" ? named : "");
    if (!isApplicationEvent(written)) {
      const found = written === "" ? "the message has no type" : `"${written}" is no application event`;
      return refused("input_invalid", `${found}, and the webhook names no event`);
    }
    const data =
      github === undefined && typeof message.type === "string" && isRecord(message.data)
        ? (message.data as Fields)
        : message; // it was JSON
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
  async function takeUnlessTaken(event: HookEvent): Promise<CallAnswer> {
    const isTaken = (await store.event(event.id))?.outcome !== undefined;
    if (!isTaken) await emit(event); // what hooks answered is no business of the sender's
    const runs = await store.runs({ eventId: event.id, limit: 1000 });
    const answer = { event: event.id, runs: runs.map(brief) };
    return isTaken ? json(200, { ...answer, repeated: true }) : json(202, answer); // a refusal would be sent again and again
  }

  /** One after another, where one message comes twice at once. */
  function takeOnce(event: HookEvent): Promise<CallAnswer> {
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
      const { id, github } = verified;
      if (message.body.length === 0 || github === "ping") return json(200, { ping: true }); // the sender tries the address
      const rest = { id: idOf(name, id), sender: `webhook:${name}` };
      const event = eventIn({ body: message.body, github }, webhook, rest);
      return "error" in event ? event : takeOnce(event);
    },
  };
}

/** GitHub sends forms where its hook is set up so. */
const payloadOfForm = (body: Buffer): Buffer =>
  Buffer.from(new URLSearchParams(body.toString("latin1")).get("payload") ?? "");

/** Of the event that a message becomes: the same for the same message, whichever sender repeats it. */
const idOf = (webhook: string, message: string): string =>
  createHash("sha256")
    .update(JSON.stringify([webhook, message]))
    .digest("hex")
    .slice(0, idLength);
const idLength = 26;
