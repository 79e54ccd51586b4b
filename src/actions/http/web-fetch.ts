/** `fetch` as libraries expect it, through the same guard: for models, tool servers and notices. It follows no redirect; and the body of its reply, up to a limit. */
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { messageOf } from "../../engine/error.ts";
import type { Reach } from "../../engine/reach.ts";
import { createSend, type IncomingReply } from "./send.ts";

const send = createSend();
/** Replies that may have no body, as fetch says. */
const withoutBody: readonly number[] = [204, 205, 304];

/**
 * Rejects, as fetch does, with a TypeError that has the reason as its cause; when aborted, with the reason of that. A redirect is
 * a reply as any other where the caller wants to see it ("manual"), else an error.
 */
export const webFetch =
  (reach: Reach): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const { url, method, headers, signal, redirect } = request;
    const body = new Uint8Array(await request.arrayBuffer());
    try {
      const reply = await send({ url, method, headers: Object.fromEntries(headers), body, reach }, signal);
      if (redirect === "manual" || !isRedirect(reply)) return responseOf(reply);
      reply.body.destroy();
      throw new Error("unexpected redirect");
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new TypeError("fetch failed", { cause: error });
    }
  };

const isRedirect = ({ status, headers }: IncomingReply): boolean =>
  [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;

function responseOf({ status, statusText, headers, body }: IncomingReply): Response {
  if (status < 200 || status > 599) {
    body.destroy(); // no Response can hold it
    throw new Error(`the server answered ${status}`);
  }
  const { "content-encoding": _decoded, "content-length": _ofEncoded, ...others } = headers;
  const given = Object.entries(others).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  if (withoutBody.includes(status)) body.resume();
  const stream = withoutBody.includes(status) ? null : (Readable.toWeb(body) as NodeReadableStream<Uint8Array>);
  return new Response(stream as ReadableStream<Uint8Array> | null, { status, statusText, headers: given }); // the two types of streams differ in name only
}

/**
 * The body of a reply, up to a limit: no server fills our memory.
 *
 * @param onBroken is called where it breaks off, or is too long: then reading it fails */
export function bounded(
  body: ReadableStream<Uint8Array>,
  limitInBytes: number,
  onBroken: (reason: string) => void = () => {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let total = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        total += value.length;
        if (total > limitInBytes) throw new Error(`its reply is larger than ${limitInBytes} bytes`);
        controller.enqueue(value);
      } catch (error) {
        void reader.cancel().catch(() => {}); // broken already
        onBroken(`the connection broke: ${messageOf(error)}`);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
