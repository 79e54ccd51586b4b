/** The daemon's routes, as a function from a request to its answer: status, webhooks, operations. The token is looked at first, whatever is asked. */

import { Hono } from "hono";
import type { Fields } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { readValue } from "../../operations/from-text.ts";
import type { OperationContext } from "../../operations/operation.ts";
import { answerOverHttp, type OperationRequest, type OperationTable, serveOperations } from "../../operations/serve.ts";
import type { Live } from "./activity.ts";
import { createBearer } from "./call.ts";
import { largestInBytes, objectIn } from "./ingest.ts";
import { refuse, refuseWith } from "./refusals.ts";
import type { Webhooks } from "./webhooks.ts";

export interface RoutesOptions {
  token: string;
  version: string;
  webhooks: Webhooks;
  live: Pick<Live, "open">;
  status(): Fields;
  operating: Operating;
  /** Set: it is being stopped, and takes nothing new. */
  isClosing(): boolean;
}

export function createRoutes(options: RoutesOptions): (request: Request) => Promise<Response> {
  const app = new Hono();
  const holdsToken = createBearer(options.token);

  app.use(async ({ req: { raw, path, method } }, next) => {
    const isWebhook = method === "POST" && path.startsWith("/webhooks/");
    const isOpen = isWebhook || (method === "GET" && path === "/health");
    if (!isOpen && !holdsToken(raw.headers.get("authorization"))) return refuse("unauthorized");
    if (options.isClosing()) return refuse("closing");
    return next();
  });

  app.get("/health", () => Response.json({ ok: true, name: "hookline", version: options.version }));
  app.get("/status", () => Response.json(options.status()));
  app.get("/events/live", () => options.live.open());
  app.post("/webhooks/:name", async ({ req }) => {
    const body = await readBody(req.raw);
    if (body instanceof Response) return body;
    return options.webhooks.deliver(req.param("name"), { header: (name) => req.header(name), body });
  });
  app.get("/operations", () => options.operating.list());
  app.get("/operations/:name", ({ req }) => {
    const { signal } = req.raw;
    return options.operating.answer({ method: "GET", name: req.param("name"), input: req.query(), signal });
  });
  app.post("/operations/:name", async ({ req }) => {
    const input = await readJson(req.raw);
    if (input instanceof Response) return input;
    const { signal } = req.raw;
    return options.operating.answer({ method: "POST", name: req.param("name"), input, signal });
  });

  const paths = [
    "/health",
    "/status",
    "/events",
    "/events/live",
    "/webhooks/:name",
    "/operations",
    "/operations/:name",
  ];
  for (const path of paths) app.all(path, () => refuse("method_not_allowed"));
  app.notFound(() => refuse("not_found"));
  app.onError(refuseWith);
  return async (request) => app.fetch(request);
}

type Sent = Pick<Request, "headers" | "body">;

/** The bytes as they were sent, or the answer that refuses them: never more than the limit, whether or not the sender says how much it is. */
async function readBody({ headers, body }: Sent): Promise<Buffer | Response> {
  if (Number(headers.get("content-length") ?? 0) > largestInBytes) return refuse("body_too_large");
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > largestInBytes) return refuse("body_too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body as the JSON object that it has to be, or what is wrong with it. An empty one is an empty object. */
async function readJson(request: Sent): Promise<Fields | Response> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) return refuse("unsupported_type");
  const bytes = await readBody(request);
  if (bytes instanceof Response) return bytes;
  return bytes.length === 0 ? {} : (objectIn(bytes) ?? refuse("input_invalid"));
}

/** Operations over HTTP, on the daemon's engine: parameters of a question are texts until the operation's schema says what they are. */
export interface Operating {
  list(): Response;
  /** Never rejects. */
  answer(request: OperationRequest): Promise<Response>;
}

export function createOperating(table: OperationTable, context: OperationContext): Operating {
  const served = serveOperations(table, context);
  return {
    list: () => Response.json(served.list()),
    async answer(request) {
      const input =
        request.method === "GET" ? fromTexts(request.input, table.get(request.name)?.params.json) : request.input;
      const { status, body } = await answerOverHttp({ ...request, input }, served);
      return Response.json(body, { status });
    },
  };
}

function fromTexts(texts: Fields, schema: Fields | undefined): Fields {
  const known = isRecord(schema?.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      return [name, own === undefined ? text : readOr(String(text), own)];
    }),
  );
}

function readOr(text: string, schema: unknown): Fields[string] {
  try {
    return readValue(text, schema);
  } catch {
    return text; // JSON that is none: the schema says what was expected
  }
}
