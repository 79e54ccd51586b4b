/** A model that answers from a script, on loopback: real agents and prompt hooks run against it without a network or a key. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fields, Json } from "../core/event.ts";
import { isRecord } from "../core/schema.ts";
import { errorOf, messageOf, modelList, readConversation, streamOf } from "./anthropic-messages.ts";

export interface ScriptedCall {
  /** The tool's own name, for example `Bash`. */
  tool: string;
  input: Fields;
}
export interface ScriptedAnswer {
  text?: string;
  calls?: readonly ScriptedCall[];
  /** What the answer claims that the request cost. A large number makes an agent compact. Default: a quarter of the request's characters. */
  inputTokens?: number;
}
/** An answer, or an HTTP status such as 401, 429, 500 or 529. A request that is tried again gets the same status again. */
export type ScriptedTurn = ScriptedAnswer | { error: number; message?: string };

export interface ScriptedModelOptions {
  /** What the model answers, in order: the first request gets the first turn. */
  turns: readonly ScriptedTurn[];
  /** Turns of other conversations, told apart by their first user message: a subagent gets its own. The first that matches wins. */
  conversations?: readonly { opening: RegExp; turns: readonly ScriptedTurn[] }[];
  /** The answer to a request that offers no tools (titles, summaries, classifiers). */
  sideText?: string;
  /** The answer after the last turn. */
  endText?: string;
}
/** One request that reached the model. Headers are not kept: they carry keys. */
export interface ModelRequest {
  method: string;
  path: string;
  body: Json;
  /** The number of assistant turns that it held already, if it was a request for an answer. */
  turn?: number;
  /** It offered no tools. */
  side?: boolean;
}
export interface ScriptedModel {
  /** Without a path: `http://127.0.0.1:PORT`. */
  url: string;
  /** Everything that was asked, in order; grows while the model runs. */
  requests: readonly ModelRequest[];
  /** Only what the conversations asked: the requests for an answer that offered tools. */
  conversation(): ModelRequest[];
  close(): Promise<void>;
}

/**
 * Starts a model on 127.0.0.1 that speaks the Anthropic Messages protocol (streamed and plain), `count_tokens` and the model list.
 *
 * It keeps no state: the turn that it plays is the number of assistant turns that are in the request already,
 * so that denied calls, retries and held stops do not shift the script.
 *
 * @example
 * const model = await startScriptedModel({ turns: [{ calls: [{ tool: "Bash", input: { command: "ls" } }] }, { text: "done" }] });
 * // run an agent with ANTHROPIC_BASE_URL=model.url and any ANTHROPIC_API_KEY
 * await model.close();
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const { createServer } = await import("node:http"); // only who starts a model pays for it
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, options, requests).then(
      (reply) => send(response, reply),
      (cause: unknown) => send(response, { status: 400, body: errorOf(400, String(cause)) }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    conversation: () => requests.filter((request) => request.side === false),
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Reply {
  status: number;
  body?: Json;
  stream?: string;
}

async function answer(
  incoming: IncomingMessage,
  options: ScriptedModelOptions,
  requests: ModelRequest[],
): Promise<Reply> {
  const method = incoming.method ?? "GET";
  const path = new URL(incoming.url ?? "/", "http://127.0.0.1").pathname;
  const text = await textOf(incoming);
  const body: Json = text === "" ? null : JSON.parse(text);
  const route = routes[`${method} ${path}`];
  const request: ModelRequest = { method, path, body };
  requests.push(request);
  if (route) return route(request, text.length, options);
  return method === "HEAD" ? { status: 200 } : { status: 404, body: errorOf(404, `${method} ${path} is not scripted`) };
}

type Route = (request: ModelRequest, length: number, options: ScriptedModelOptions) => Reply;

const routes: { [route: string]: Route } = {
  "POST /v1/messages": play,
  "POST /v1/messages/count_tokens": (_request, length) => ({ status: 200, body: { input_tokens: tokensIn(length) } }),
  "GET /v1/models": () => ({ status: 200, body: modelList(["scripted"]) }),
};

function play(request: ModelRequest, length: number, options: ScriptedModelOptions): Reply {
  const { turn, opening, side } = readConversation(request.body);
  Object.assign(request, { turn, side });
  const asked: Fields = isRecord(request.body) ? request.body : {};
  const scripted = side ? { text: options.sideText ?? "scripted" } : scriptFor(opening, options)[turn];
  const now = scripted ?? { text: options.endText ?? "The script has no more turns." };
  if ("error" in now)
    return { status: now.error, body: errorOf(now.error, now.message ?? `scripted error ${now.error}`) };
  const message = messageOf(now, String(asked.model ?? "scripted"), now.inputTokens ?? tokensIn(length));
  return asked.stream === true ? { status: 200, stream: streamOf(message) } : { status: 200, body: message };
}

const scriptFor = (opening: string, { turns, conversations = [] }: ScriptedModelOptions): readonly ScriptedTurn[] =>
  conversations.find((one) => opening.search(one.opening) !== -1)?.turns ?? turns;

const tokensIn = (length: number): number => Math.ceil(length / 4);

async function textOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString("utf8");
}

function send(response: ServerResponse, { status, body, stream }: Reply): void {
  const type = stream === undefined ? "application/json" : "text/event-stream";
  response.writeHead(status, { "content-type": type, "cache-control": "no-cache" });
  response.end(stream ?? (body === undefined ? undefined : JSON.stringify(body)));
}
