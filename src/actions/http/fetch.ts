/** The Fetch port on Node's own HTTP client. Apart so that only who sends a request pays for loading it. */
import type { IncomingMessage } from "node:http";
import type { Fetch } from "../../engine/ports.ts";

type Request = Parameters<Fetch>[0];
type Reply = Awaited<ReturnType<Fetch>>;

const mostRedirects = 3;

/** Follows at most 3 redirects. Rejects on network failure, on a redirect it will not follow, and when aborted. */
export const fetch: Fetch = async (request, signal) => {
  let next = request;
  for (let redirects = 0; ; redirects++) {
    const response = await send(next, signal);
    const target = redirectOf(response, next.url);
    if (target === undefined) return readBody(response, next.limitInBytes);
    response.destroy();
    if (redirects === mostRedirects) throw new Error(`more than ${mostRedirects} redirects`);
    next = redirected(next, response.statusCode ?? 0, target);
  }
};

function send({ url, method, headers, body }: Request, signal: AbortSignal): Promise<IncomingMessage> {
  const { request } = process.getBuiltinModule(url.startsWith("https:") ? "node:https" : "node:http");
  return new Promise((resolve, reject) => {
    const length = body === "" && method === "GET" ? {} : { "content-length": String(Buffer.byteLength(body)) };
    // A connection of its own: one that was kept alive may close under a request that must not be sent twice.
    const outgoing = request(url, { method, headers: { ...headers, ...length }, signal, agent: false }, resolve);
    outgoing.on("error", (error) => reject(error));
    outgoing.end(body);
  });
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, url: string): URL | undefined {
  const target = headers.location;
  if (![301, 302, 303, 307, 308].includes(statusCode) || target === undefined) return undefined;
  if (!URL.canParse(target, url)) throw new Error(`redirected to "${target}", which is not an address`);
  return new URL(target, url);
}

/** Another origin gets neither the credentials nor the event; 301 to 303 mean: now ask with GET. */
function redirected(request: Request, status: number, target: URL): Request {
  if (target.protocol !== "http:" && target.protocol !== "https:") throw new Error(`redirected to ${target.protocol}`);
  const isSameOrigin = target.origin === new URL(request.url).origin;
  const keepsBody = status === 307 || status === 308;
  if (keepsBody && !isSameOrigin) throw new Error(`redirected to ${target.origin}, which the event was not meant for`);
  const headers: Record<string, string> = isSameOrigin
    ? { ...request.headers }
    : { accept: request.headers.accept ?? "*/*" };
  if (keepsBody) return { ...request, url: target.href, headers };
  delete headers["content-type"];
  return { ...request, url: target.href, headers, method: "GET", body: "" };
}

/** Reads up to the limit and no further, whatever the other side goes on sending. */
async function readBody(response: IncomingMessage, limitInBytes: number): Promise<Reply> {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = false;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, limitInBytes - size)); // no encoding was set, so chunks are buffers
    size += chunk.length;
    cut = size > limitInBytes;
    if (cut) break; // which also closes the connection
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8"), cut };
}
