/** Makes one connection to a tool server with the official client, which is loaded only now. */

import type { Client, jsonSchemaValidator } from "@modelcontextprotocol/client";
import { messageOf } from "../../engine/error.ts";
import type { McpServer } from "../../formats/config/config.ts";
import { httpLink, type Link, type Surroundings, stdioLink } from "./link.ts";

type Library = typeof import("@modelcontextprotocol/client");

export interface Connection {
  client: Client;
  /** Resolves when it can no longer be used. */
  over: Promise<void>;
  /** An error in a person's words, with what is known of the other end. */
  explain(error: unknown): Trouble;
  /** The server answered that it knows nothing of our session: it was not called. */
  wasForgotten(error: unknown): boolean;
  /** Never rejects. Safe to call twice. */
  close(): Promise<void>;
}

/** Why a server gave no answer. */
export interface Trouble {
  /** Ours, and what it answered by the protocol: fit for the caller. */
  reason: string;
  /** What it wrote elsewhere, such as stderr: for the people who look into it, and no one else. */
  said?: string | undefined;
}

/** Until a server has answered the handshake, unless its settings say more. */
const startsWithin = 10;
const name = "hookline";

/** Rejects with an Error in a person's words, which holds as `said` what the server wrote elsewhere. */
export async function connect(
  settings: McpServer,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<Connection> {
  const library = await import("@modelcontextprotocol/client");
  const first = await attempt("legacy", settings, surroundings, signal, library);
  if (!("refused" in first)) return first;
  // The handshake of all servers until 2026; some newer ones refuse it, and are asked in the new way.
  const second = await attempt("auto", settings, surroundings, signal, library);
  if ("refused" in second) throw unreachable(second.refused);
  return second;
}

async function attempt(
  mode: "legacy" | "auto",
  settings: McpServer,
  surroundings: Surroundings,
  signal: AbortSignal,
  library: Library,
): Promise<Connection | { refused: Trouble }> {
  const link =
    "url" in settings ? httpLink(settings, surroundings.environment, library) : stdioLink(settings, surroundings);
  const client = new library.Client(
    { name, version: "1" },
    { jsonSchemaValidator: lenient, versionNegotiation: { mode } },
  );
  const over = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const timeout = settings.timeout ?? startsWithin;
  try {
    await client.connect(link.transport, { signal, timeout: timeout * 1000 });
  } catch (error) {
    const trouble = signal.aborted ? { reason: "its connection was closed" } : explain(error, link, library, timeout);
    await leave(client, link);
    if (isRefusal(error, library)) return { refused: trouble };
    throw unreachable(trouble, error);
  }
  return {
    client,
    over,
    explain: (error) => explain(error, link, library, timeout),
    wasForgotten: (error) => link.transport.sessionId !== undefined && httpStatus(error, library, 404, 400),
    async close() {
      await link.leave();
      await leave(client, link);
    },
  };
}

const unreachable = ({ reason, said }: Trouble, cause?: unknown): Error =>
  Object.assign(new Error(reason, { cause }), { said });

/** What a tool answers is its own affair: nothing is refused because it does not fit the schema that it announced. */
const lenient: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }), // taken as it is
};

const isRefusal = (error: unknown, library: Library): boolean =>
  error instanceof library.ProtocolError || httpStatus(error, library, 400);

const httpStatus = (error: unknown, { SdkHttpError }: Library, ...statuses: number[]): boolean =>
  error instanceof SdkHttpError && statuses.includes(error.status ?? 0);

async function leave(client: Client, { transport }: Link): Promise<void> {
  try {
    await client.close();
    await transport.close(); // where the client had not taken it yet, or has let it go
  } catch {
    // It is closed in any case: the link's own end does not depend on what went wrong.
  }
}

function explain(error: unknown, link: Link, { SdkError, SdkErrorCode }: Library, timeout: number): Trouble {
  const [trouble, said] = [link.trouble(), link.said?.()];
  const code = error instanceof SdkError ? error.code : undefined;
  if (code === SdkErrorCode.ConnectionClosed) return { reason: trouble ?? "the connection was closed", said };
  const reason = code === SdkErrorCode.RequestTimeout ? `it did not answer within ${timeout} s` : withCause(error);
  return { reason: trouble === undefined ? reason : `${reason}; ${trouble}`, said };
}

/** "fetch failed" says nothing; its cause does. */
const withCause = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : messageOf(error);
