/**
 * POST /hook/AGENT?event=E&by=B: an agent's telling, from a client of ours or from the agent itself over HTTP. Plain node:http and
 * before all other routes, because agents wait for it on every tool call.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgentAdapter } from "../agents/adapter.ts";
import { adapterOf, payloadAtMost } from "../agents/telling.ts";
import { environmentName } from "../core/environment-name.ts";
import type { HookEvent, Json } from "../core/event.ts";
import { resolveEvent } from "../core/events.ts";
import { createBearer, createStrangeness, ofPage } from "./admission.ts";
import { isWithinLimits } from "./folder-limits.ts";
import { createHookBodyReader, type Refusing } from "./hook-body.ts";
import {
  answerOf,
  folderHeader,
  folderIn,
  ownType,
  partsOf,
  proofHeader,
  sentHeader,
  umaskHeader,
  umaskIn,
  versionHeader,
} from "./hook-wire.ts";
import { type RefusalCode, type Refused, refused, refusedBy, tooLarge } from "./refusals.ts";
import type { Door } from "./server.ts";
import { createEnvironmentReader, type Environment } from "./session-environments.ts";
import { type Answered, replyOf, type Tellings } from "./tellings.ts";

export interface HookRouteOptions {
  tellings: Pick<Tellings, "take">;
  token: string;
  /** The token of agents' own HTTP hooks, which stays the same; absent: there are none. */
  holdsHttpToken?(authorization: unknown): boolean;
  /** Clients of another one do their work themselves. */
  version: string;
  /** What only this daemon knows, and who has read its address. */
  proof: string;
  /** Where this daemon keeps its settings and its store. */
  environment: Environment;
  /** Of a telling that names none. */
  cwd: string;
  now(): number;
  isClosing(): boolean;
}

/** A sender waits 250 ms to be taken (R60); what is taken later may be done twice. */
const takenWithin = 200;
/** Addresses that were called before; there are as many as events and layers. */
const addressesAtMost = 1_000;

interface Called {
  adapter: AgentAdapter;
  event: string | undefined;
  by: string | undefined;
}

export function createHookRoute(options: HookRouteOptions): Door {
  const { tellings, version, proof, now } = options;
  const strangenessOf = createStrangeness();
  const holdsToken = createBearer(options.token);
  const called = createAddresses();
  const readBody = createHookBodyReader();
  const environmentIn = createEnvironmentReader();
  const isElsewhere = createPlaceCheck(options.environment);

  /** Why this head is refused, whatever follows it. */
  function refusalOf({ headers, method }: IncomingMessage, isPrivate: boolean): RefusalCode | undefined {
    const strange = isPrivate ? ofPage(headers) : strangenessOf(headers);
    if (strange) return strange;
    const { authorization } = headers;
    if (!isPrivate && !holdsToken(authorization) && !options.holdsHttpToken?.(authorization)) return "unauthorized";
    if (options.isClosing()) return "closing";
    return method === "POST" ? undefined : "method_not_allowed";
  }

  function take(one: Called, request: IncomingMessage, response: ServerResponse): void {
    const type = request.headers["content-type"];
    if (type === ownType) takeOwn(one, request, response);
    else if (type?.startsWith("application/json")) takeJson(one, request, response);
    else refuse(response, refused("unsupported_type"));
  }

  function takeOwn(one: Called, request: IncomingMessage, response: ServerResponse): void {
    const { headers } = request;
    readBody(request, (body) => {
      if (typeof body === "string") return refuse(response, unreadFor(body));
      if (headers[versionHeader] !== version) return refuse(response, refused("version_differs"));
      const parts = partsOf(body);
      const environment = environmentIn(parts.environment);
      if (isElsewhere(environment)) return refuse(response, refused("places_differ"));
      if (now() - Number(headers[sentHeader]) > takenWithin) return refuse(response, refused("too_late"));
      const folder = folderIn(headers[folderHeader]) ?? options.cwd;
      if (!isWithinLimits(folder)) return refuse(response, refused("too_deep"));
      response.writeProcessing(); // it is taken: from here on its sender does nothing but wait
      const payload = parts.payload.toString("utf8");
      until(
        response,
        tellings.take(
          { ...one, payload, folder, sender: { environment, umask: umaskIn(headers[umaskHeader]) } },
          (answered) => answerOwn(response, answered),
        ),
      );
    });
  }

  function answerOwn(response: ServerResponse, answered: Answered): void {
    const bytes = answerOf(replyOf(answered));
    response.writeHead(200, { [proofHeader]: proof, "content-length": bytes.length, connection: "close" });
    response.end(bytes);
  }

  function takeJson(one: Called, request: IncomingMessage, response: ServerResponse): void {
    readBody(request, (body) => {
      if (typeof body === "string") return refuse(response, unreadFor(body));
      const told = { ...one, payload: body.toString("utf8"), folder: options.cwd, sender: undefined };
      until(
        response,
        tellings.take(told, (answered) => answerJson(response, one, answered)),
      );
    });
  }

  return (request, response, isPrivate) => {
    const { url = "" } = request;
    if (!url.startsWith("/hook/")) return false;
    const refusal = refusalOf(request, isPrivate);
    if (refusal) refuse(response, refused(refusal));
    else {
      const found = called(url);
      if ("adapter" in found) take(found, request, response);
      else refuse(response, found);
    }
    return true;
  };
}

const unreadFor = (why: Refusing): Refused => (why === "body_too_large" ? tooLarge(payloadAtMost) : refused(why));

/** An agent that goes away before it is answered waits for nothing. */
function until(response: ServerResponse, { leave }: { leave(): void }): void {
  response.on("close", leave);
}

function answerJson(response: ServerResponse, one: Called, answered: Answered): void {
  const body = httpBodyOf(one, answered);
  if (body === undefined) {
    response.writeHead(200, emptyHead).end();
    return;
  }
  const isText = typeof body === "string";
  const bytes = isText ? body : JSON.stringify(body);
  response.writeHead(200, {
    "content-type": isText ? "text/plain; charset=utf-8" : "application/json",
    "content-length": Buffer.byteLength(bytes),
  });
  response.end(bytes);
}
const emptyHead = { "content-length": 0 };

/** What could not be judged is said in the agent's own words: its status alone would let the call pass. */
function httpBodyOf({ adapter, event: named }: Called, answered: Answered): Json | undefined {
  if ("telling" in answered) return adapter.encodeForHttp?.(answered.telling.event, answered.outcome);
  const { exitCode, stderr = "" } = answered.reply;
  const [name] = (named === undefined ? undefined : resolveEvent(named)) ?? [];
  if (exitCode === 0 || name === undefined) return undefined;
  const event: HookEvent = { id: "", name, at: 0, cwd: "/", data: {}, sender: adapter.name };
  return adapter.encodeForHttp?.(event, { verdict: { is: "deny", reason: stderr, by: "hookline" } });
}

/** What of a body is still on its way is not read: the connection ends with the answer. */
function refuse(response: ServerResponse, { status, headers, error }: Refused): void {
  const bytes = JSON.stringify({ error });
  const isRead = response.req.complete;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(bytes),
    ...headers,
    ...(isRead && status !== 503 ? {} : { connection: "close" }),
  });
  response.end(bytes);
}

/** Who is called by a path and its query: read once for each. */
function createAddresses(): (url: string) => Called | Refused {
  const known = new Map<string, Called | Refused>();
  return (url) => {
    const found = known.get(url);
    if (found) return found;
    if (known.size >= addressesAtMost) known.clear();
    const read = addressIn(url);
    known.set(url, read);
    return read;
  };
}

function addressIn(url: string): Called | Refused {
  try {
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
    const adapter = adapterOf(decodeURIComponent(pathname.slice("/hook/".length)));
    return { adapter, event: searchParams.get("event") || undefined, by: searchParams.get("by") || undefined };
  } catch (error) {
    return error instanceof URIError || error instanceof TypeError ? refused("not_found") : refusedBy(error);
  }
}

/** Variables that say which files count, where all is written, and how. */
const placeVariables = [
  "HOME",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "CLAUDE_CONFIG_DIR",
  "HOOKLINE_STORE",
  "HOOKLINE_RECORD",
  "HOOKLINE_RETENTION_DAYS",
];

/** Whether the sender would load other hooks than this daemon, or write them down elsewhere. */
function createPlaceCheck(own: Environment): (environment: Environment) => boolean {
  const name = environmentName(own);
  const known = new WeakMap<Environment, boolean>();
  return (environment) => {
    let differs = known.get(environment);
    if (differs === undefined) {
      differs =
        environmentName(environment) !== name ||
        placeVariables.some((variable) => (environment[variable] ?? "") !== (own[variable] ?? ""));
      known.set(environment, differs);
    }
    return differs;
  };
}
