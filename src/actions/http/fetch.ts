/** The Fetch port: follows redirects, and reads a body up to a limit. Apart so that only who sends a request pays for loading it. */
import type { Fetch } from "../../engine/ports.ts";
import { createSend, type IncomingReply, type Send } from "./send.ts";

type Request = Parameters<Fetch>[0];
type Reply = Awaited<ReturnType<Fetch>>;

const mostRedirects = 3;

/** Follows at most 3 redirects. Rejects where nothing may be sent, on network failure, on a redirect it will not follow, and when aborted. */
export const createFetch =
  (send: Send = createSend()): Fetch =>
  async (request, signal) => {
    let next = request;
    for (let redirects = 0; ; redirects++) {
      const reply = await send(next, signal);
      const target = redirectOf(reply, next.url);
      if (target === undefined) return readBody(reply, next, new URL(request.url).origin);
      reply.body.destroy();
      if (redirects === mostRedirects) throw new Error(`more than ${mostRedirects} redirects`);
      next = redirected(next, reply, target);
    }
  };

export const fetch: Fetch = createFetch();

function redirectOf({ status, headers }: IncomingReply, url: string): URL | undefined {
  const target = headers.location;
  if (![301, 302, 303, 307, 308].includes(status) || target === undefined) return undefined;
  if (!URL.canParse(target, url)) throw new Error(`redirected to "${target}", which is not an address`);
  return new URL(target, url);
}

/**
 * Another origin gets neither the credentials nor the event; 301 to 303 mean: now ask with GET. No person has written that
 * origin, so it is public, unless a server of the person's own networks names another one there.
 */
function redirected(request: Request, { status, isInternal }: IncomingReply, target: URL): Request {
  if (target.protocol !== "http:" && target.protocol !== "https:") throw new Error(`redirected to ${target.protocol}`);
  const isSameOrigin = target.origin === new URL(request.url).origin;
  const keepsBody = status === 307 || status === 308;
  if (keepsBody && !isSameOrigin) throw new Error(`redirected to ${target.origin}, which the event was not meant for`);
  const reach = isSameOrigin || (request.reach === "internal" && isInternal) ? request.reach : "public";
  const headers: Record<string, string> = isSameOrigin
    ? { ...request.headers }
    : { accept: request.headers.accept ?? "*/*" };
  const next = { ...request, url: target.href, headers, reach };
  if (keepsBody) return next;
  delete headers["content-type"];
  return { ...next, method: "GET", body: "" };
}

/** Reads up to the limit and no further, whatever the other side goes on sending. */
async function readBody(
  { body, status }: IncomingReply,
  { url, limitInBytes }: Request,
  asked: string,
): Promise<Reply> {
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = false;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, limitInBytes - size)); // no encoding was set, so chunks are buffers
    size += chunk.length;
    cut = size > limitInBytes;
    if (cut) break; // which also closes the connection
  }
  const { origin } = new URL(url);
  const text = Buffer.concat(chunks).toString("utf8");
  return { status, body: text, cut, ...(origin === asked ? {} : { movedTo: origin }) };
}
