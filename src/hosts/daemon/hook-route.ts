/**
 * POST /hook/AGENT?event=E&by=B: an agent's request, from a client of ours or from the agent itself over HTTP. Before all other
 * routes, because agents wait for it on every tool call.
 */
import type { AgentAdapter } from "../../agents/adapter.ts";
import { placeVariables } from "../../agents/index.ts";
import { byModsSocket } from "../../agents/install/own-call.ts";
import { adapterOf, namedAsSent, payloadAtMost } from "../../agents/request.ts";
import type { AgentEventName, Json } from "../../engine/event.ts";
import { environmentName } from "../../engine/hook.ts";
import { type AgentRequests, type Answered, replyOf } from "./agent-requests.ts";
import {
  type Call,
  type CallAnswer,
  createBearer,
  createBodyReader,
  type Listener,
  refuse,
  reply,
  type Unread,
  whenGone,
} from "./call.ts";
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
import { isWithinLimits } from "./ingest.ts";
import { type RefusalCode, type Refused, refused, refusedBy, tooLarge } from "./refusals.ts";
import { createEnvironmentReader, type Environment } from "./session-environments.ts";

interface HookRouteOptions {
  agentRequests: Pick<AgentRequests, "take">;
  token: string;
  /** The token of agents' own HTTP hooks, which stays the same; absent: there are none. */
  holdsHttpToken?(authorization: unknown): boolean;
  /** Clients of another one do their work themselves. */
  version: string;
  /** What only this daemon knows, and who has read its address. */
  proof: string;
  /** Where this daemon keeps its settings and its store. */
  environment: Environment;
  /** Of a request that names none. */
  cwd: string;
  now(): number;
  isClosing(): boolean;
}

/** A sender waits 250 ms to be taken (R60); what is taken later may be done twice. */
const takenWithin = 200;
/** The environment goes with the payload. */
const largestInBytes = payloadAtMost + 4 * 1024 * 1024;
/** Of all that is being read. */
const togetherAtMost = 256 * 1024 * 1024;

interface Called {
  adapter: AgentAdapter;
  event: string | undefined;
  by: string | undefined;
}

export function createHookRoute(options: HookRouteOptions): Listener {
  const { agentRequests, version, proof, now } = options;
  const holdsToken = createBearer(options.token);
  const readBody = createBodyReader(togetherAtMost);
  const environmentIn = createEnvironmentReader();
  const isElsewhere = createPlaceCheck(options.environment);
  const ownHead = { [proofHeader]: proof, connection: "close" };

  /** Why this head is refused, whatever follows it. */
  function refusalOf({ request: { headers, method }, isPrivate }: Call): RefusalCode | undefined {
    const { authorization } = headers;
    if (!isPrivate && !holdsToken(authorization) && !options.holdsHttpToken?.(authorization)) return "unauthorized";
    if (options.isClosing()) return "closing";
    return method === "POST" ? undefined : "method_not_allowed";
  }

  function take(one: Called, call: Call): void {
    const type = call.request.headers["content-type"];
    if (type === ownType) readBody(call, largestInBytes, (body) => takeOwn(one, call, body));
    else if (typeof type === "string" && type.startsWith("application/json"))
      readBody(call, largestInBytes, (body) => takeJson(one, call, body));
    else refuse(call, refused("unsupported_type"));
  }

  function takeOwn(one: Called, call: Call, body: Read): void {
    const { headers } = call.request;
    if (typeof body === "string") return void refuseUnread(call, body);
    if (headers[versionHeader] !== version) return void refuse(call, refused("version_differs"));
    const parts = partsOf(body);
    const environment = environmentIn(parts.environment);
    if (isElsewhere(environment)) return void refuse(call, refused("places_differ"));
    if (now() - Number(headers[sentHeader]) > takenWithin) return void refuse(call, refused("too_late"));
    const folder = folderIn(headers[folderHeader]) ?? options.cwd;
    if (!isWithinLimits(folder)) return void refuse(call, refused("too_deep"));
    call.response.writeProcessing(); // it is taken: from here on its sender does nothing but wait
    const payload = parts.payload.toString("utf8");
    const sender = { environment, umask: umaskIn(headers[umaskHeader]) };
    const underway = agentRequests.take({ ...one, payload, folder, sender }, (answered) =>
      reply(call, { status: 200, headers: ownHead, body: answerOf(replyOf(answered)) }),
    );
    whenGone(call, underway.leave);
  }

  function takeJson(one: Called, call: Call, body: Read): void {
    if (typeof body === "string") return void refuseUnread(call, body);
    const { adapter, event, by } = one;
    const given = { adapter, event, by, payload: body.toString("utf8"), folder: options.cwd, sender: undefined };
    const underway = agentRequests.take(given, (answered) => reply(call, answerInJson(one, answered)));
    if (by !== byModsSocket) whenGone(call, underway.leave);
  }

  return (call) => {
    const { url = "" } = call.request;
    if (!url.startsWith("/hook/")) return false;
    const refusal = refusalOf(call);
    if (refusal) refuse(call, refused(refusal));
    else {
      const found = addressIn(url);
      if ("adapter" in found) take(found, call);
      else refuse(call, found);
    }
    return true;
  };
}

type Read = Buffer | Unread | "gone";

function refuseUnread(call: Call, why: Unread | "gone"): void {
  if (why !== "gone") refuse(call, why === "body_too_large" ? tooLarge(payloadAtMost) : refused(why));
}

function answerInJson(one: Called, answered: Answered): CallAnswer {
  const body = httpBodyOf(one, answered);
  if (body === undefined) return { status: 200, headers: noHead, body: "" };
  return typeof body === "string"
    ? { status: 200, headers: textHead, body }
    : { status: 200, headers: jsonHead, body: JSON.stringify(body) };
}
const noHead = {};
const textHead = { "content-type": "text/plain; charset=utf-8" };
const jsonHead = { "content-type": "application/json" };

/** What could not be judged is said in the agent's own words: its status alone would let the call pass. */
function httpBodyOf({ adapter, event: named }: Called, answered: Answered): Json | undefined {
  if ("request" in answered) {
    const [event] = answered.request.events;
    return event && namedAsSent(event, answered.request.adapter.encodeForHttp?.(event, answered.outcome));
  }
  const { refused: reason } = answered.reply;
  return reason === undefined ? undefined : adapter.refuseOverHttp?.(reason, eventOf(adapter, named));
}

const eventOf = ({ sends }: AgentAdapter, named: string | undefined): AgentEventName | undefined =>
  [...sends].find((name) => name === named);

/** The agent that a path and its query name. */
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
const ownVariables = ["HOME", "XDG_STATE_HOME", "HOOKLINE_STORE", "HOOKLINE_RECORD", "HOOKLINE_RETENTION_DAYS"];

/** Whether the sender would load other hooks than this daemon, or write them down elsewhere. */
function createPlaceCheck(own: Environment): (environment: Environment) => boolean {
  const name = environmentName(own);
  const variables = [...ownVariables, ...placeVariables()];
  const known = new WeakMap<Environment, boolean>();
  return (environment) => {
    let differs = known.get(environment);
    if (differs === undefined) {
      differs =
        environmentName(environment) !== name ||
        variables.some((variable) => (environment[variable] ?? "") !== (own[variable] ?? ""));
      known.set(environment, differs);
    }
    return differs;
  };
}
