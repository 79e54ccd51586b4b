/** The daemon's HTTP, as a function from a request to its answer: who may ask is looked at first, whatever is asked. */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Fields } from "../core/event.ts";
import { holdsToken, strangeness } from "./admission.ts";
import type { Inbound } from "./inbound.ts";
import type { Live } from "./live.ts";
import type { Operating } from "./operate.ts";
import { refuse, refuseWith } from "./refusals.ts";

export interface RoutesOptions {
  token: string;
  version: string;
  inbound: Inbound;
  live: Pick<Live, "open">;
  status(): Fields;
  operating: Operating;
  /** Set: it is being stopped, and takes nothing new. */
  isClosing(): boolean;
}

const largestBodyInBytes = 1024 * 1024;

export function createRoutes(options: RoutesOptions): (request: Request) => Promise<Response> {
  const app = new Hono();

  app.use(async ({ req: { raw, path, method } }, next) => {
    const isWebhook = method === "POST" && path.startsWith("/webhooks/");
    const strange = strangeness(raw);
    // A webhook comes through a tunnel under another name; its signature says who it is from.
    if (strange && !(isWebhook && strange === "forbidden_host")) return refuse(strange);
    const isOpen = isWebhook || (method === "GET" && path === "/health");
    if (!isOpen && !holdsToken(raw, options.token)) return refuse("unauthorized");
    if (options.isClosing()) return refuse("closing");
    return next();
  });
  app.use(bodyLimit({ maxSize: largestBodyInBytes, onError: () => refuse("body_too_large") }));

  app.get("/health", () => Response.json({ ok: true, name: "hookline", version: options.version }));
  app.get("/status", () => Response.json(options.status()));
  app.get("/events/live", () => options.live.open());
  app.post("/events", async ({ req: { raw } }) => {
    const sent = await jsonOf(raw);
    return sent instanceof Response ? sent : Response.json(await options.inbound.send(sent));
  });
  app.post("/webhooks/:name", async ({ req }) => {
    const header = (name: string): string | undefined => req.header(name);
    return options.inbound.deliver(req.param("name"), { header, body: await req.text() });
  });
  app.get("/operations", () => options.operating.list());
  app.get("/operations/:name", ({ req }) => {
    const { signal } = req.raw;
    return options.operating.answer({ method: "GET", name: req.param("name"), input: req.query(), signal });
  });
  app.post("/operations/:name", async ({ req }) => {
    const input = await jsonOf(req.raw);
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

/** The body as the JSON object that it has to be, or what is wrong with it. An empty one is an empty object. */
async function jsonOf(request: Request): Promise<Fields | Response> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) return refuse("unsupported_type");
  const text = await request.text();
  try {
    const read: unknown = text.trim() === "" ? {} : JSON.parse(text);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as Fields; // it was JSON
    return refuse("input_invalid", "the body is JSON, but no object");
  } catch {
    return refuse("input_invalid", "the body is no JSON");
  }
}
