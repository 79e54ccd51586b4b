/** What a connection to a tool server needs of whatever carries its messages. */
import { resolve } from "node:path";
import type { FetchLike, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { parseJson } from "../../actions/command/protocols/find-answer.ts";
import { bounded, webFetch } from "../../actions/http/web-fetch.ts";
import type { PipedProcess, StartPipedProcess } from "../../engine/program.ts";
import { type Reach, reachOf, showsLoopback } from "../../engine/reach.ts";
import { isRecord } from "../../engine/schema.ts";
import { createLineReader } from "../../files/lines.ts";
import type { McpServer } from "../../formats/config/config.ts";
import { addressOf, fill, fillAll, headerOf } from "../variables.ts";

export interface Link {
  transport: Transport;
  /** What went wrong at the other end, in a sentence of ours; undefined: nothing that is known. */
  trouble(): string | undefined;
  /** Its own last words, such as stderr. They may hold anything, so they are kept out of every sentence. */
  said?(): string | undefined;
  /** Takes leave, where there is a way to. Never rejects. */
  leave(): Promise<void>;
}

/** What servers are started with. */
export interface Surroundings {
  start: StartPipedProcess;
  /** Fills `${NAME}`. Servers inherit only what every program needs. */
  environment: Readonly<Record<string, string>>;
  cwd: string;
}

// A tool server behind an address, spoken to by streamable HTTP. Headers never go to another origin than its own.

type HttpServer = Extract<McpServer, { url: string }>;
type Library = Pick<typeof import("@modelcontextprotocol/client"), "StreamableHTTPClientTransport">;

const largestReplyInBytes = 32 << 20;
/** For saying goodbye; a server that does not listen is left without. */
const farewellInMs = 1000;

/** @throws Error where the address or a header cannot be used */
export function httpLink(
  { url, headers = {}, ofProject }: HttpServer,
  environment: Readonly<Record<string, string>>,
  { StreamableHTTPClientTransport }: Library,
): Link {
  const filledHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, headerOf(value, `the header ${name}`, environment)]),
  );
  const address = addressOf(url, `"${url}"`, environment);
  if (ofProject && address.protocol === "http:" && !showsLoopback(address.href) && holdsVariable(url, headers))
    throw new Error("a project's file sends variables to https addresses and to this machine only");
  // The environment is the person's own: what it says of a person's server, the person has written.
  const reach = reachOf(address.href, { isOwn: !ofProject, written: [ofProject ? url : address.href] });
  let trouble: string | undefined;
  const transport = new StreamableHTTPClientTransport(address, {
    requestInit: { headers: filledHeaders },
    fetch: watchedFetch(reach, (reason) => {
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

const holdsVariable = (url: string, headers: Readonly<Record<string, string>>): boolean =>
  [url, ...Object.values(headers)].some((one) => one.includes("${"));

/** The replies to our messages are bounded, and one that breaks off is reported. The server's own stream may come and go. */
function watchedFetch(reach: Reach, onBroken: (reason: string) => void): FetchLike {
  const fetch = webFetch(reach);
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== "POST" || !response.body) return response;
    const isOurs = (): boolean => init.signal?.aborted === true;
    return new Response(
      bounded(response.body, largestReplyInBytes, (reason) => isOurs() || onBroken(reason)),
      response,
    );
  };
}

// A tool server that is a program: its messages go over its pipes, so its whole tree ends with us.

/** In bytes; a server that never ends one must not fill our memory. */
const longestLine = 32 << 20;

type StdioServer = Extract<McpServer, { command: string }>;

/** Never throws: what is wrong with the settings is reported when the transport starts. */
export function stdioLink(settings: StdioServer, surroundings: Surroundings): Link {
  let child: PipedProcess | undefined;
  let isOver = false;
  let how: string | undefined;
  let noise = "";

  const transport: Transport = {
    async start() {
      child = await surroundings.start(commandOf(settings, surroundings));
      if (isOver) return child.end();
      const readOutput = createLineReader(longestLine, read);
      child.onOutput((chunk) => {
        if (readOutput(chunk)) return;
        how = "it wrote a line that has no end";
        void child?.end();
      });
      void child.ended.then((reason) => {
        how ??= reason;
        finish();
      });
    },
    async send(message) {
      child?.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      finish();
      await child?.end();
    },
  };

  function read(line: string): boolean {
    const message = parseMessage(line);
    if (message) transport.onmessage?.(message);
    else if (noise.length < longestQuote) noise += `${line}\n`; // a server that complains there instead of on stderr
    return true;
  }

  function finish(): void {
    if (isOver) return;
    isOver = true;
    transport.onclose?.();
  }

  return {
    transport,
    trouble: () => how,
    said: () => quote(child?.complaints() || noise) || undefined,
    leave: async () => {},
  };
}

function commandOf(
  { command, args = [], env = {}, cwd = "" }: StdioServer,
  { environment, cwd: folder }: Surroundings,
) {
  return {
    program: fill(command, environment),
    args: args.map((one) => fill(one, environment)),
    cwd: resolve(folder, fill(cwd, environment)),
    environment: { ...leanly(environment), ...fillAll(env, environment) },
  };
}

/** A server gets no more of the environment than it is given by name: most of it is none of its business. */
const needed = ["PATH", "HOME", "USER", "LANG", "TMPDIR", "TERM"];
const leanly = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => needed.includes(name)));

/** What else stands on stdout is noise. */
function parseMessage(line: string): JSONRPCMessage | undefined {
  const value = parseJson(line);
  return isRecord(value) && value.jsonrpc === "2.0" ? (value as JSONRPCMessage) : undefined; // the client checks the rest
}

const longestQuote = 600;
/** The end of it: what a program says last is why it stopped. */
const quote = (said: string): string => said.trim().slice(-longestQuote);
