/**
 * What the daemon answers to browsers: the page, its files, and what the page asks. Loaded when a browser first comes. Who may
 * come at all, call.ts has looked at: the page itself and nothing else (SAFETY D10).
 */
import { textField } from "../../../engine/event.ts";
import type { OperationContext } from "../../../operations/operation.ts";
import { answerOverHttp, type OperationTable, serveOperations } from "../../../operations/serve.ts";
import { type Call, type CallAnswer, json, whenGone } from "../call.ts";
import { objectIn } from "../ingest.ts";
import type { Live } from "../live.ts";
import { type Refused, refused } from "../refusals.ts";
import type { Entrance } from "./entrance.ts";
import { createPageFiles, packed, pageHeaders } from "./files.ts";

export interface DashboardOptions {
  /** The folder of the package, where the built pages lie. */
  root: string;
  port(): number;
  entrance: Entrance;
  live: Pick<Live, "open">;
  operations: OperationTable;
  context: OperationContext;
  /** The bytes as they were sent; undefined: the sender has gone. */
  bodyOf(call: Call): Promise<Buffer | Refused | undefined>;
  /** The root of the project that a folder lies in. */
  projectAt(folder: string): string;
}

/** Undefined: it is answered already, or its sender has gone. */
type Answer = CallAnswer | Refused | undefined;

/** No script in the page, and texts never become markup. */
const always = pageHeaders("require-trusted-types-for 'script'", "trusted-types 'none'");

/** The page sends it with all that it asks; a form of another page cannot. */
const ownHeader = "x-hookline";

const pages = {
  name: "dashboard",
  script: "scripts/build-dashboard.ts",
  sources: ["dashboard/**/*.*"],
};

/** To be called for what `isOfDashboard` says. */
export function createDashboard(options: DashboardOptions): (call: Call, path: string) => Promise<Answer> {
  const { entrance, live, port } = options;
  const files = createPageFiles(options.root, pages);
  const operations = serveOperations(options.operations, options.context);

  async function file({ request }: Call, name: string): Promise<Answer> {
    if (request.method !== "GET") return refused("method_not_allowed");
    const found = await files.read(name);
    if (!found) return refused("not_found");
    const isPacked = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    return {
      status: 200,
      headers: {
        "content-type": found.type,
        "cache-control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-store",
        vary: "accept-encoding",
        ...(isPacked ? { "content-encoding": "gzip" } : {}),
      },
      body: isPacked ? packed(found.body) : found.body,
    };
  }

  /** All that a page asks is posted: a link that a person follows asks nothing. `cwd` beside the parameters is the project that is shown. */
  async function ask(call: Call, name: string): Promise<Answer> {
    const { request } = call;
    if (request.headers[ownHeader] === undefined) return refused("forbidden_origin");
    const isInside = entrance.holdsCookie(request, port());
    if (name === "live" && request.method === "GET") return isInside ? void live.open(call) : refused("not_entered");
    if (request.method !== "POST") return refused("method_not_allowed");
    if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) return refused("unsupported_type");
    if (name !== "enter" && !isInside) return refused("not_entered");
    const sent = await options.bodyOf(call);
    if (!Buffer.isBuffer(sent)) return sent;
    const body = objectIn(sent);
    if (!body) return refused("input_invalid");
    const { cwd, ...input } = body;
    if (name === "enter") return enter(textField(input, "code") ?? "");
    const gone = new AbortController();
    whenGone(call, () => gone.abort());
    const served =
      typeof cwd === "string" ? serveOperations(options.operations, { ...options.context, cwd }) : operations;
    const reply = await answerOverHttp({ method: "POST", name, input, signal: gone.signal }, served);
    return json(reply.status, reply.body);
  }

  function enter(code: string): Answer {
    const entered = entrance.enter(code, port());
    if (!entered) return refused("not_entered");
    const answer = json(200, { project: options.projectAt(entered.folder) });
    return { ...answer, headers: { ...answer.headers, "set-cookie": entered.cookie } };
  }

  async function answer(call: Call, path: string): Promise<Answer> {
    const [, folder, name = "", ...below] = path.split("/");
    if (below.length > 0) return refused("not_found");
    if (folder === "") return file(call, "index.html");
    if (folder === "assets") return file(call, `assets/${name}`); // named by their content
    return ask(call, name);
  }

  return async (call, path) => {
    const answered = await answer(call, path);
    return answered && { ...answered, headers: { "cache-control": "no-store", ...always, ...answered.headers } };
  };
}
