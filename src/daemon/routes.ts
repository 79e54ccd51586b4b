/** The daemon's HTTP, as a function from a request to its answer: who may ask is looked at first, whatever is asked. */
import { Hono } from "hono";
import type { Fields } from "../core/event.ts";
import { createBearer, strangeness } from "./admission.ts";
import { readBody, readJson } from "./body.ts";
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

export function createRoutes(options: RoutesOptions): (request: Request) => Promise<Response> {
  const app = new Hono();
  const holdsToken = createBearer(options.token);

  app.use(async ({ req: { raw, path, method } }, next) => {
    const isWebhook = method === "POST" && path.startsWith("/webhooks/");
    const strange = strangeness(raw);
    // A webhook comes through a tunnel under another name; its signature says who it is from.
    if (strange && !(isWebhook && strange === "forbidden_host")) return refuse(strange);
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
    return options.inbound.deliver(req.param("name"), { header: (name) => req.header(name), body });
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
