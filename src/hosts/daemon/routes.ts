/**
 * The daemon's other routes: status, what happens as it happens, webhooks, operations. The token is looked at first, whatever
 * is asked. Apart, because most daemons are never asked for any of it.
 */
import { isAbsolute } from "node:path";
import { type Fields, type Json, type MaybePromise, textField } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { isFolder } from "../../files/paths.ts";
import { readValue } from "../../operations/from-text.ts";
import type { OperationContext } from "../../operations/operation.ts";
import {
  answerOverHttp,
  type OperationRequest,
  type OperationTable,
  serveOperations,
  wrongFolder,
} from "../../operations/serve.ts";
import { type Measure, prometheusText, prometheusType } from "../../services/telemetry/measures.ts";
import {
  type Call,
  type CallAnswer,
  createBearer,
  createBodyReader,
  isOfDashboard,
  isOfSite,
  json,
  refuse,
  reply,
  whenGone,
} from "./call.ts";
import { largestInBytes, objectIn } from "./ingest.ts";
import type { Live } from "./live.ts";
import { type Refused, refused, refusedBy } from "./refusals.ts";
import type { Webhooks } from "./webhooks.ts";

export interface RoutesOptions {
  token: string;
  version: string;
  webhooks: Webhooks;
  live: Pick<Live, "open">;
  status(): Fields;
  /** Where what is recorded cannot go just now. */
  missing(): readonly string[];
  measures(): readonly Measure[];
  /** Its holder may read the measures, and nothing else. Undefined: there is none. */
  scrapeToken(): string | undefined;
  operations: OperationTable;
  context: OperationContext;
  /** The folder of the package, where the built documentation lies. */
  root: string;
  /** The dashboard: loaded when a browser first comes. */
  dashboard(bodyOf: BodyOf): Promise<Pages>;
  /** A link that lets a browser in, for a person who works in this folder. */
  link(folder: string): string;
  /** It is being stopped, and takes nothing new. */
  isClosing(): boolean;
}

/** A call, with what its path and its query say beside the route. */
interface RouteCall {
  call: Call;
  name: string;
  query: URLSearchParams;
}
/** Undefined: it is answered already, or its sender has gone. */
type Served = CallAnswer | Refused | undefined;
/** What the daemon answers to browsers. */
type Pages = (call: Call, path: string) => Promise<Served>;
/** The bytes as they were sent; undefined: the sender has gone. */
export type BodyOf = (call: Call) => Promise<Buffer | Refused | undefined>;
type Methods = Readonly<Record<string, (asked: RouteCall) => MaybePromise<Served>>>;

/** They tell nothing of what happens here. */
const open: readonly string[] = ["/health", "/ready"];

/** Of all bodies that are being read. */
const togetherAtMost = 32 * largestInBytes;

export function createRoutes(options: RoutesOptions): (call: Call) => void {
  const { version, webhooks, live, context } = options;
  const holdsToken = createBearer(options.token);
  const bodyOf = createBodyOf();
  const choice = { forModels: true } as const; // who holds the token may be a model
  const operations = serveOperations(options.operations, context, choice);
  const site = once(() => import("./site.ts").then(({ createSite }) => createSite(options.root)));
  const dashboard = once(() => options.dashboard(bodyOf));

  const routes: readonly (readonly [path: RegExp, methods: Methods])[] = [
    [/^\/health$/, { GET: () => json(200, { ok: true, name: "hookline", version }) }],
    [/^\/ready$/, { GET: () => readiness(options.missing()) }],
    [/^\/status$/, { GET: () => json(200, options.status()) }],
    [/^\/metrics$/, { GET: () => measured(options.measures()) }],
    [/^\/events$/, {}], // what is posted there, intake.ts takes before
    [/^\/events\/live$/, { GET: ({ call }) => void live.open(call) }],
    [/^\/webhooks\/([^/]+)$/, { POST: deliver }],
    [/^\/links$/, { POST: makeLink }],
    [/^\/operations$/, { GET: () => json(200, operations.list()) }],
    [/^\/operations\/([^/]+)$/, { GET: ask, POST: perform }],
  ];

  async function deliver({ call, name }: RouteCall): Promise<Served> {
    const body = await bodyOf(call);
    if (!Buffer.isBuffer(body)) return body;
    const header = (one: string): string | undefined => call.request.headers[one]?.toString();
    return webhooks.deliver(name, { header, body });
  }

  async function makeLink({ call }: RouteCall): Promise<Served> {
    const body = await bodyOf(call);
    if (!Buffer.isBuffer(body)) return body;
    const folder = textField(objectIn(body) ?? {}, "folder");
    return folder === undefined ? refused("input_invalid") : json(200, { url: options.link(folder) });
  }

  /** Parameters of a question are texts until the operation's schema says what they are; of two with one name the first counts. */
  function ask({ call, name, query }: RouteCall): Promise<Served> {
    const texts = Object.fromEntries([...query].reverse());
    const input = fromTexts(texts, options.operations.get(name)?.params.json);
    return operate(call, { method: "GET", name, input });
  }

  async function perform({ call, name }: RouteCall): Promise<Served> {
    if (!/^application\/json\s*(;|$)/i.test(call.request.headers["content-type"] ?? ""))
      return refused("unsupported_type");
    const body = await bodyOf(call);
    if (!Buffer.isBuffer(body)) return body;
    const input = body.length === 0 ? {} : objectIn(body);
    return input ? operate(call, { method: "POST", name, input }) : refused("input_invalid");
  }

  /** Ends with its sender. `cwd` beside the parameters is the folder that its sender asks from, as that of a command. */
  async function operate(call: Call, request: Omit<OperationRequest, "signal">): Promise<CallAnswer> {
    const { cwd, ...input } = request.input;
    if (cwd !== undefined && !(typeof cwd === "string" && isAbsolute(cwd) && isFolder(cwd)))
      return json(wrongFolder.status, wrongFolder.body);
    const gone = new AbortController();
    whenGone(call, () => gone.abort());
    const served = cwd === undefined ? operations : serveOperations(options.operations, { ...context, cwd }, choice);
    const { status, headers, body } = await answerOverHttp({ ...request, input, signal: gone.signal }, served);
    const answer = json(status, body);
    return { ...answer, headers: { ...answer.headers, ...headers } };
  }

  function mayScrape(method: string, path: string, authorization: unknown): boolean {
    const token = method === "GET" && path === "/metrics" ? options.scrapeToken() : undefined;
    return token !== undefined && createBearer(token)(authorization);
  }

  async function answer(call: Call): Promise<Served> {
    const { method = "", url = "", headers } = call.request;
    const { authorization } = headers;
    const [path = ""] = url.split("?", 1);
    if (isOfDashboard(url) || isOfSite(url)) {
      if (options.isClosing()) return refused("closing");
      return (await (isOfSite(url) ? site() : dashboard()))(call, path);
    }
    if (!isOpen(method, path) && !holdsToken(authorization) && !mayScrape(method, path, authorization))
      return refused("unauthorized");
    if (options.isClosing()) return refused("closing");
    for (const [pattern, methods] of routes) {
      const found = pattern.exec(path);
      if (!found) continue;
      const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
      const query = new URLSearchParams(url.slice(path.length));
      return serve ? serve({ call, name: decoded(found[1] ?? ""), query }) : refused("method_not_allowed");
    }
    return refused("not_found");
  }

  return (call) => {
    answer(call)
      .catch(refusedBy)
      .then((served) => {
        if (served && "error" in served) refuse(call, served);
        else if (served) reply(call, served);
      });
  };
}

function createBodyOf(): BodyOf {
  const readBody = createBodyReader(togetherAtMost);
  return (call) =>
    new Promise((resolve) => {
      readBody(call, largestInBytes, (read) => {
        if (read === "gone") resolve(undefined);
        else resolve(typeof read === "string" ? refused(read) : read);
      });
    });
}

/** Whether it is answered without the token. */
const isOpen = (method: string, path: string): boolean =>
  (method === "POST" && path.startsWith("/webhooks/")) || (method === "GET" && open.includes(path));

/** Loaded when it is first asked for. */
function once<T>(load: () => T): () => T {
  let loaded: { value: T } | undefined;
  return () => {
    loaded ??= { value: load() };
    return loaded.value;
  };
}

/** It decides all the same: a balancer that sends events elsewhere loses nothing, one that ends it does. */
function readiness(missing: readonly string[]): CallAnswer {
  return json(missing.length === 0 ? 200 : 503, { ok: missing.length === 0, missing });
}

function measured(measures: readonly Measure[]): CallAnswer {
  const headers = { "content-type": prometheusType, "cache-control": "no-store" };
  return { status: 200, headers, body: prometheusText(measures) };
}

/** A text with a per cent sign that stands for itself is its own name. */
function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

function fromTexts(texts: Readonly<Record<string, string>>, schema: Fields | undefined): Fields {
  const known = isRecord(schema?.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Object.hasOwn(known, name) ? readOr(text, known[name]) : text]),
  );
}

function readOr(text: string, schema: unknown): Json {
  try {
    return readValue(text, schema);
  } catch {
    return text; // JSON that is none: the schema says what was expected
  }
}
