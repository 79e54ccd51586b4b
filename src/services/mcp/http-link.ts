/** A tool server behind an address, spoken to by streamable HTTP. Headers never go to another origin than its own. */
import type { FetchLike } from "@modelcontextprotocol/client";
import { messageOf } from "../../engine/error.ts";
import type { McpServer } from "../../formats/config/config.ts";
import { fill } from "./fill.ts";
import type { Link } from "./link.ts";

export type HttpServer = Extract<McpServer, { url: string }>;
type Library = Pick<typeof import("@modelcontextprotocol/client"), "StreamableHTTPClientTransport">;

const largestReplyInBytes = 32 << 20;
/** For saying goodbye; a server that does not listen is left without. */
const farewellInMs = 1000;

/** @throws Error where the address or a header cannot be used */
export function httpLink(
  { url, headers = {} }: HttpServer,
  environment: Readonly<Record<string, string>>,
  { StreamableHTTPClientTransport }: Library,
): Link {
  let trouble: string | undefined;
  const transport = new StreamableHTTPClientTransport(addressOf(url, environment), {
    requestInit: { headers: headersOf(headers, environment) },
    fetch: watchedFetch((reason) => {
      trouble = reason;
      void transport.close(); // the client would wait for an answer that cannot come any more
    }),
  });
  return {
    transport: transport as Link["transport"], // the same but for exact optional properties
    trouble: () => trouble,
    async leave() {
      if (transport.sessionId === undefined) return;
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, farewellInMs).unref();
      });
      await Promise.race([transport.terminateSession(), late]).catch(() => {}); // the server is gone: so is the session
    },
  };
}

/** Faults quote what is written, not what it is filled with: that may be a secret. */
function addressOf(written: string, environment: Readonly<Record<string, string>>): URL {
  const filled = fill(written, environment);
  if (!URL.canParse(filled)) throw new Error(`"${written}" is not an address`);
  const address = new URL(filled);
  if (address.protocol !== "http:" && address.protocol !== "https:")
    throw new Error(`"${written}" is neither http nor https`);
  if (address.username || address.password)
    throw new Error("the address holds a user name or password: send it as a header");
  return address;
}

/** A value that no header may hold is not quoted either. */
function headersOf(
  written: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(written)) {
    const filled = fill(value, environment).trim();
    if (/[^\t\x20-\x7e\x80-\xff]/.test(filled))
      throw new Error(`the header ${name} holds characters that no header may`);
    headers[name] = filled;
  }
  return headers;
}

/** The replies to our messages are bounded, and one that breaks off is told. The server's own stream may come and go. */
function watchedFetch(onBroken: (reason: string) => void): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || !response.body) return response;
    const isOurs = (): boolean => init.signal?.aborted === true;
    return new Response(
      bounded(response.body, (reason) => isOurs() || onBroken(reason)),
      response,
    );
  };
}

function bounded(body: ReadableStream<Uint8Array>, onBroken: (reason: string) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let total = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        total += value.length;
        if (total > largestReplyInBytes) throw new Error(`its reply is larger than ${largestReplyInBytes} bytes`);
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
