/** Events from outside: programs of this machine send application events, and signed webhooks become them (specification 000, R62). */
import { createHash } from "node:crypto";
import { depthField } from "../core/depth.ts";
import { HooklineError } from "../core/error.ts";
import type { EventName, Fields, HookEvent, Instant } from "../core/event.ts";
import { eventNames, resolveEvent } from "../core/events.ts";
import { nearest } from "../core/nearest.ts";
import type { Outcome } from "../core/outcome.ts";
import { saysFull } from "../core/queue-bounds.ts";
import type { Run, Store } from "../core/record.ts";
import { isRecord } from "../core/schema.ts";
import type { InboundWebhook } from "../dialects/config.ts";
import { isApplicationEvent } from "../dialects/config-automation-keys.ts";
import { objectIn } from "./body.ts";
import { refuse } from "./refusals.ts";
import { type SignedMessage, verify } from "./webhook-signature.ts";

export interface InboundOptions {
  emit(event: HookEvent): Promise<Outcome>;
  store: Pick<Store, "event" | "runs">;
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
  send(sent: unknown): Promise<Response>;
  /** An answer for whoever calls the webhook. Never rejects on account of the message. */
  deliver(name: string, message: SignedMessage): Promise<Response>;
}

export function createInbound(options: InboundOptions): Inbound {
  const { emit, store, now, id } = options;
  /** Webhooks' events that are on the line, each until it has its answer. */
  const underWay = new Map<string, Promise<unknown>>();

  async function take(event: HookEvent): Promise<Taken> {
    const outcome = await emit(event);
    return { outcome, runs: await store.runs({ eventId: event.id, limit: 1000 }) };
  }

  const eventOf = (
    name: EventName,
    data: Fields,
    rest: Pick<HookEvent, "id" | "cwd" | "sender" | "session">,
  ): HookEvent => {
    const { [depthField]: _given, ...payload } = data; // only hooks count how deep they are
    return { name, at: now(), data: payload, ...rest };
  };

  /** The event that a signed message means, or why it means none. */
  function eventIn(
    body: Uint8Array,
    { event: given, project }: InboundWebhook,
    rest: Pick<HookEvent, "id" | "sender">,
  ): HookEvent | Response {
    const message = objectIn(body);
    if (!message) return refuse("input_invalid");
    const written = given ?? (typeof message.type === "string" ? message.type : "");
    if (!isApplicationEvent(written)) {
      const found = written === "" ? "the message has no type" : `"${written}" is no application event`;
      return refuse("input_invalid", `${found}, and the webhook names no event`);
    }
    const data = typeof message.type === "string" && isRecord(message.data) ? (message.data as Fields) : message; // it was JSON
    return eventOf(
      written as EventName, // it holds a dot, as isApplicationEvent has seen
      project === undefined ? data : { ...data, project_id: project },
      { ...rest, cwd: (project && options.workspaceOf(project)) ?? options.cwd },
    );
  }

  /**
   * A message is taken once, and its event says whether it was: one that could not be written down, or that a crash left
   * without its outcome, is taken when it comes again.
   */
  async function takeUnlessTaken(event: HookEvent): Promise<Response> {
    if ((await store.event(event.id))?.outcome) return refuse("webhook_repeated");
    const { runs } = await take(event); // what hooks answered is no business of the sender's
    return Response.json({ event: event.id, runs: runs.map(brief) }, { status: 202 });
  }

  /** One after another, where one message comes twice at once. */
  function takeOnce(event: HookEvent): Promise<Response> {
    const before = underWay.get(event.id) ?? Promise.resolve();
    const taking = before.catch(() => {}).then(() => takeUnlessTaken(event)); // who sent the one before hears of its failure
    underWay.set(event.id, taking);
    return taking.finally(() => underWay.get(event.id) === taking && underWay.delete(event.id));
  }

  return {
    async send(sent) {
      const { event: written, data = {}, cwd = options.cwd, session } = checked(sent);
      const rest = { id: id(), cwd, sender: "http", ...(session === undefined ? {} : { session }) };
      const event = eventOf(applicationEvent(written), data, rest);
      const { outcome, runs } = await take(event);
      const isLost = runs.length > 0 && runs.every(({ reason }) => saysFull(reason));
      if (isLost) return refuse("queue_full", runs[0]?.reason);
      return Response.json({ event: event.id, outcome, runs: runs.map(brief) });
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
      const event = eventIn(message.body, webhook, { id: idOf(name, verified.id), sender: `webhook:${name}` });
      return event instanceof Response ? event : takeOnce(event);
    },
  };
}

/** What came of an event. */
interface Taken {
  outcome: Outcome;
  runs: readonly Run[];
}

const brief = ({ id, hook, status, reason }: Run): object => ({ id, hook, status, reason: reason ?? null });

/** Of the event that a message becomes: the same for the same message, whoever sends it again. */
const idOf = (webhook: string, message: string): string =>
  createHash("sha256")
    .update(JSON.stringify([webhook, message]))
    .digest("hex")
    .slice(0, idLength);
const idLength = 26;

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
