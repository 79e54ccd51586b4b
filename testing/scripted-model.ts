/** A model that answers from a script, on loopback: real agents, prompt hooks and agent hooks run against it without a network or a key. */

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fields, Json } from "../src/engine/event.ts";
import { isRecord } from "../src/engine/schema.ts";
import {
  anthropicMessages,
  type Conversation,
  googleContent,
  googleModels,
  modelList,
  openaiChat,
  openaiResponses,
  type ScriptedUsage,
  type Wire,
} from "./wire.ts";

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
  /** All that it claims; false: it says nothing of its cost. */
  usage?: ScriptedUsage | false;
  /** It was cut off at its limit, or the model refuses and `text` says why. */
  end?: "length" | "refusal";
}
/** What goes wrong instead of an answer. */
export type ScriptedTrouble =
  /** An HTTP status such as 401, 429, 500 or 529, with a Retry-After in seconds or as a date; a body in the provider's form, or its own. */
  | { error: number; message?: string; retryAfter?: number | string; body?: Json }
  /** Nothing is ever answered. */
  | { hang: true }
  /** The connection closes without an answer. */
  | { reset: true }
  /** The connection closes in the middle of the answer. */
  | { cut: ScriptedAnswer }
  /** A body of any kind, with status 200. */
  | { raw: string };
/**
 * An answer, or trouble. A request that is tried again gets the same trouble again; with `times`, only so often, and then
 * `next`.
 */
export type ScriptedTurn = ScriptedAnswer | (ScriptedTrouble & { times?: number; next?: ScriptedAnswer });

export interface ScriptedModelOptions {
  /** What the model answers, in order: the first request gets the first turn. */
  turns: readonly ScriptedTurn[];
  /** Turns of other conversations, told apart by what the user says first in them: a subagent gets its own. The first that matches wins. */
  conversations?: readonly { opening: RegExp; turns: readonly ScriptedTurn[] }[];
  /** The answer to a request that offers no tools (titles, summaries, classifiers). */
  sideText?: string;
  /** Requests that offer no tools play the turns as well: a prompt hook's are such. */
  playSides?: true;
  /** The answer after the last turn. */
  endText?: string;
  /** Requests with another key, or none, get 401. */
  key?: string;
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
  /** Resolves when the client goes away before it has its answer. */
  abandoned: Promise<void>;
}
export interface ScriptedModel {
  /** Without a path: `http://127.0.0.1:PORT`. */
  url: string;
  /** Everything that was asked, in order; grows while the model runs. */
  requests: readonly ModelRequest[];
  /** Only what the conversations asked: the requests for an answer that offered tools. */
  conversation(): ModelRequest[];
  /** Resolves with the request of this number, counted from 1, when it is there. */
  arrival(number: number): Promise<ModelRequest>;
  close(): Promise<void>;
}

/**
 * Starts a model on 127.0.0.1 that speaks the Anthropic Messages protocol (with `count_tokens`), OpenAI's Chat Completions
 * and Responses, and Google's generateContent (`?alt=sse`): streamed, plain, and with the model list of each.
 *
 * It keeps no state: the turn that it plays is the number of assistant turns that are in the request already,
 * so that denied calls, retries and held stops do not shift the script. Only trouble with `times` is counted.
 *
 * @example
 * const model = await startScriptedModel({ turns: [{ calls: [{ tool: "Bash", input: { command: "ls" } }] }, { text: "done" }] });
 * // run an agent with ANTHROPIC_BASE_URL=model.url and any ANTHROPIC_API_KEY
 * await model.close();
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const { createServer } = await import("node:http"); // only who starts a model pays for it
  const requests: ModelRequest[] = [];
  const arrivals = new Map<number, PromiseWithResolvers<ModelRequest>>();
  const arrival = (number: number): PromiseWithResolvers<ModelRequest> => {
    const known = arrivals.get(number) ?? Promise.withResolvers();
    arrivals.set(number, known);
    return known;
  };
  const script: Script = { options, met: new Map() };
  const server = createServer((incoming, response) => {
    const gone = Promise.withResolvers<void>();
    response.on("close", () => response.writableEnded || gone.resolve());
    readRequest(incoming, gone.promise).then(
      (asked) => {
        requests.push(asked.request);
        send(response, answer(asked, script));
        arrival(requests.length).resolve(asked.request);
      },
      (cause: unknown) => send(response, { status: 400, body: anthropicMessages.error(400, String(cause)) }),
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
    arrival: (number) => arrival(number).promise,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Script {
  options: ScriptedModelOptions;
  /** How often each trouble was met. */
  met: Map<ScriptedTurn, number>;
}
interface Asked {
  request: ModelRequest;
  /** Characters of its body. */
  length: number;
  key: string | undefined;
}

async function readRequest(incoming: IncomingMessage, abandoned: Promise<void>): Promise<Asked> {
  const method = incoming.method ?? "GET";
  const path = new URL(incoming.url ?? "/", "http://127.0.0.1").pathname;
  const text = await textOf(incoming);
  const { headers } = incoming;
  const key = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization?.replace(/^Bearer /, "");
  const body: Json = text === "" ? null : JSON.parse(text);
  return { request: { method, path, body, abandoned }, length: text.length, key: key?.toString() };
}

/** By the end of the path: providers differ in what stands before. */
const wires: readonly [RegExp, Wire][] = [
  [/\/v1\/messages$/, anthropicMessages],
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
  [/\/models\/[^/]+:(generateContent|streamGenerateContent)$/, googleContent],
];

const modelLists: readonly [RegExp, typeof modelList][] = [
  [/\/v1beta\/models$/, googleModels],
  [/\/models$/, modelList],
];

function answer(asked: Asked, script: Script): Reply {
  const { method, path } = asked.request;
  const wire = method === "POST" ? wires.find(([pattern]) => pattern.test(path))?.[1] : undefined;
  if (wire) return play(asked, wire, script);
  if (method === "POST" && path === "/v1/messages/count_tokens")
    return { status: 200, body: { input_tokens: tokensIn(asked.length) } };
  const list = method === "GET" ? modelLists.find(([pattern]) => pattern.test(path))?.[1] : undefined;
  if (list) return { status: 200, body: list(["scripted"]) };
  const body = anthropicMessages.error(404, `${method} ${path} is not scripted`);
  return method === "HEAD" ? { status: 200 } : { status: 404, body };
}

function play({ request, length, key }: Asked, wire: Wire, script: Script): Reply {
  const { options } = script;
  if (options.key !== undefined && key !== options.key)
    return { status: 401, body: wire.error(401, `the key ${key} is not valid`) };
  const body: Fields = isFields(request.body) ? request.body : {};
  const conversation = wire.read(body);
  Object.assign(request, { turn: conversation.turn, side: conversation.side });
  const turn = turnOf(conversation, script);
  if ("error" in turn) {
    const { error: status, message = `scripted error ${turn.error}`, retryAfter, body: own } = turn;
    const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
    return { status, body: own ?? wire.error(status, message), headers };
  }
  if ("hang" in turn || "reset" in turn) return { ends: "hang" in turn ? "never" : "at once" };
  if ("raw" in turn) return { status: 200, text: turn.raw };
  const now = "cut" in turn ? turn.cut : turn;
  const usage = usageOf(now, length);
  const model = String(body.model ?? request.path.replace(/^.*\/models\/|:.*$/g, ""));
  const said =
    body.stream === true || request.path.endsWith(":streamGenerateContent")
      ? { stream: wire.stream(now, model, usage, body) }
      : { body: wire.write(now, model, usage, body) };
  return { status: 200, ...said, ...("cut" in turn && { ends: "half-way" as const }) };
}

const isFields = (value: unknown): value is Fields => isRecord(value); // it came out of JSON.parse

function turnOf({ side, turn, opening }: Conversation, { options, met }: Script): ScriptedTurn {
  if (side && !options.playSides) return { text: options.sideText ?? "scripted" };
  const own = options.conversations?.find((one) => opening.search(one.opening) !== -1);
  const now = (own?.turns ?? options.turns)[turn] ?? { text: options.endText ?? "The script has no more turns." };
  if (!("times" in now) || now.times === undefined) return now;
  const before = met.get(now) ?? 0;
  met.set(now, before + 1);
  return before < now.times ? now : (now.next ?? { text: "the trouble is over" });
}

function usageOf({ usage, inputTokens }: ScriptedAnswer, length: number): ScriptedUsage | undefined {
  if (usage === false) return undefined;
  return usage ?? { input: inputTokens ?? tokensIn(length), output: 16 };
}

const tokensIn = (length: number): number => Math.ceil(length / 4);

async function textOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString("utf8");
}

// How a scripted reply leaves: whole, cut in the middle, or never. Apart from what it says.

interface Reply {
  status?: number;
  body?: Json;
  /** A body that is no JSON of ours. */
  text?: string;
  /** Server-sent events. */
  stream?: string;
  headers?: Readonly<Record<string, string>>;
  /** When the connection closes too early; absent: it does not. */
  ends?: "never" | "at once" | "half-way";
}

function send(response: ServerResponse, { status = 200, body, text, stream, headers, ends }: Reply): void {
  if (ends === "never") return;
  if (ends === "at once") {
    response.destroy();
    return;
  }
  const type = stream === undefined ? "application/json" : "text/event-stream";
  const content = stream ?? text ?? (body === undefined ? "" : JSON.stringify(body));
  const length = ends === "half-way" ? { "content-length": String(Buffer.byteLength(content)) } : {};
  response.writeHead(status, { "content-type": type, "cache-control": "no-cache", ...headers, ...length });
  if (ends === "half-way")
    response.write(content.slice(0, content.length / 2), () => {
      response.destroy();
    });
  else response.end(content);
}
