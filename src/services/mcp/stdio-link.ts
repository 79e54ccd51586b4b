/** A tool server that is a program: its messages go over its pipes, so its whole tree ends with us. */
import { resolve } from "node:path";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { PipedProcess } from "../../engine/program.ts";
import { isRecord } from "../../engine/schema.ts";
import { createLineReader } from "../../files/lines.ts";
import type { McpServer } from "../../formats/config/config.ts";
import { fill, fillAll } from "./fill.ts";
import type { Link, Surroundings } from "./link.ts";

/** In bytes; a server that never ends one must not fill our memory. */
const longestLine = 32 << 20;

export type StdioServer = Extract<McpServer, { command: string }>;

/** Never throws: what is wrong with the settings is told when the transport starts. */
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
      void child.ended.then((told) => {
        how ??= told;
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
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && value.jsonrpc === "2.0" ? (value as JSONRPCMessage) : undefined; // the client checks the rest
  } catch {
    return undefined; // no JSON
  }
}

const longestQuote = 600;
/** The end of it: what a program says last is why it stopped. */
const quote = (said: string): string => said.trim().slice(-longestQuote);
