/** Events from outside: programs of this machine send application events, and signed webhooks become them (specification 000, R62). */
import { HooklineError } from "../core/error.ts";
import type { EventName, Fields, HookEvent, Instant } from "../core/event.ts";
import { eventNames, resolveEvent } from "../core/events.ts";
import { nearest } from "../core/nearest.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Run, Store } from "../core/record.ts";
import { isRecord } from "../core/schema.ts";
import type { InboundWebhook } from "../dialects/config.ts";
import { isApplicationEvent } from "../dialects/config-automation-keys.ts";
import { depthField } from "../operations/event.ts";
import { type RefusalCode, refuse } from "./refusals.ts";
import { type SignedMessage, verify } from "./webhook-signature.ts";

export interface InboundOptions {
  emit(event: HookEvent): Promise<Outcome>;
  store: Pick<Store, "claim" | "runs">;
  now(): Instant;
  id(): string;
  /** Where events happen that do not say. */
  cwd: string;
  /** The folder of a project, if it is known. */
  workspaceOf(project: string): string | undefined;
  webhook(name: string): InboundWebhook | undefined;
  /** `${NAME}` filled from the environment. Throws Error for a variable that is not set. */
  fill(written: string): string;
}
/** What was sent to `POST /events`. */
export interface Sent {
  event: string;
  data?: Fields;
  cwd?: string;
  session?: string;
}
export interface Inbound {
  /** @throws HooklineError event_unknown, parameters_invalid */
  send(sent: unknown): Promise<Fields>;
  /** An answer for whoever calls the webhook. Never rejects on account of the message. */
  deliver(name: string, message: SignedMessage): Promise<Response>;
}

/** A message that was taken is not taken again; after twice the tolerance its signature is too old anyway. */
const remembered = 900;

export function createInbound(options: InboundOptions): Inbound {
  const { emit, store, now, id } = options;

  /** What came of it, as JSON. */
  async function take(event: HookEvent): Promise<Fields> {
    const outcome = await emit(event);
    const runs = await store.runs({ eventId: event.id, limit: 1000 });
    return JSON.parse(JSON.stringify({ event: event.id, outcome, runs: runs.map(brief) }));
  }

  const eventOf = (name: EventName, data: Fields, rest: Pick<HookEvent, "cwd" | "sender" | "session">): HookEvent => {
    const { [depthField]: _given, ...payload } = data; // only hooks count how deep they are
    return { id: id(), name, at: now(), data: payload, ...rest };
  };

  async function accept(name: string, { event: given, project }: InboundWebhook, body: string): Promise<Response> {
    const message = asRecord(body);
    if (!message) return refuse("input_invalid", "the message is no JSON object");
    const written = given ?? (typeof message.type === "string" ? message.type : "");
    if (!isApplicationEvent(written)) {
      const found = written === "" ? "the message has no type" : `"${written}" is no application event`;
      return refuse("input_invalid", `${found}, and the webhook names no event`);
    }
    const data = typeof message.type === "string" && isRecord(message.data) ? message.data : message;
    const event = eventOf(
      written as EventName, // it holds a dot, as isApplicationEvent has seen
      project === undefined ? data : { ...data, project_id: project },
      { sender: `webhook:${name}`, cwd: (project && options.workspaceOf(project)) ?? options.cwd },
    );
    const { outcome: _own, ...taken } = await take(event); // what hooks answered is no business of the sender's
    return Response.json(taken, { status: 202 });
  }

  return {
    async send(sent) {
      const { event: written, data = {}, cwd = options.cwd, session } = checked(sent);
      const rest = { cwd, sender: "http", ...(session === undefined ? {} : { session }) };
      return take(eventOf(applicationEvent(written), data, rest));
    },
    async deliver(name, message) {
      const webhook = options.webhook(name);
      if (!webhook) return refuse("webhook_unknown");
      let secret: string;
      try {
        secret = options.fill(webhook.secret);
      } catch {
        return refuse("failed", `the secret of the webhook ${name} is not there`);
      }
      const verified = verify(message, secret, now());
      if (verified.is === "refused") return refuse(verified.because, verified.message);
      const claim = { key: `webhook:${name}:${verified.id}`, gap: remembered, refusal: "it was taken before" };
      if (await store.claim([claim], now())) return refuse("webhook_repeated" satisfies RefusalCode);
      return accept(name, webhook, message.body);
    },
  };
}

const brief = ({ id, hook, status, reason }: Run): object => ({ id, hook, status, reason: reason ?? null });

function asRecord(text: string): Fields | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) ? (read as Fields) : undefined; // it was JSON
  } catch {
    return undefined;
  }
}

const where = "POST /events";

function applicationEvent(written: string): EventName {
  if (isApplicationEvent(written)) return written as EventName; // it holds a dot
  const near = resolveEvent(written) ? undefined : nearest(written, eventNames);
  const advice = resolveEvent(written) ? `${where} — agents tell of it themselves` : where;
  throw new HooklineError("event_unknown", { name: written, where: advice, ...(near ? { near } : {}) });
}

function checked(sent: unknown): Sent {
  const needs = (name: string, expected: string): HooklineError =>
    new HooklineError("parameters_invalid", { name, expected, found: "something else", where });
  if (!isRecord(sent)) throw needs("the body", "a JSON object");
  const { event, data, cwd, session, ...others } = sent;
  const [other] = Object.keys(others);
  if (other !== undefined) throw needs("the body", `event, data, cwd and session; "${other}" is unknown,`);
  if (typeof event !== "string") throw needs("event", "the name of an application event");
  if (data !== undefined && !isRecord(data)) throw needs("data", "a JSON object");
  if (cwd !== undefined && !(typeof cwd === "string" && cwd.startsWith("/"))) throw needs("cwd", "an absolute path");
  if (session !== undefined && !(typeof session === "string" && session !== "")) throw needs("session", "text");
  return {
    event,
    ...(data === undefined ? {} : { data: data as Fields }), // it came as JSON
    ...(cwd === undefined ? {} : { cwd: String(cwd) }),
    ...(session === undefined ? {} : { session: String(session) }),
  };
}
