/** One tool server: connected on its first call, shared by all calls, connected again after it has died. */

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { parseJson } from "../../actions/command/protocols/find-answer.ts";
import { HooklineError } from "../../engine/error.ts";
import type { Fields, Json } from "../../engine/event.ts";
import type { ToolAnswer, ToolInfo } from "../../engine/external-services.ts";
import { nearest } from "../../engine/nearest.ts";
import type { McpServer } from "../../formats/config/config.ts";
import { unlessAborted } from "../until-aborted.ts";
import type { Connection, Trouble } from "./connection.ts";
import type { Surroundings } from "./link.ts";

export interface Server {
  /** Rejects with HooklineError tool_unknown, tool_failed. A call that may have reached the server is never repeated. */
  call(tool: string, input: Fields, signal: AbortSignal): Promise<ToolAnswer>;
  list(signal: AbortSignal): Promise<ToolInfo[]>;
  /** Never rejects; takes at most 3 s. Safe to call twice. */
  close(): Promise<void>;
}

/** The signal is the limit of a call; this one only keeps the client from setting its own. */
const noLimitInMs = 2 ** 31 - 1;
/** For asking, after a call has failed, whether the tool exists at all. */
const lookUpInMs = 2000;

export function createServer(name: string, settings: McpServer, surroundings: Surroundings): Server {
  const where = `mcp_servers.${name}`;
  const closing = new AbortController();
  let current: Promise<Connection> | undefined;

  const failed = (tool: string, trouble: string | Trouble, cause?: unknown): HooklineError => {
    const { reason, said } = typeof trouble === "string" ? { reason: trouble } : trouble;
    const facts = { name: tool, reason: short(reason), where, ...(said === undefined ? {} : { said }) };
    return new HooklineError("tool_failed", facts, { cause });
  };

  /** All who need it at once share one attempt; who gives up leaves it to the others. */
  function connection(): Promise<Connection> {
    if (current) return current;
    const opening = import("./connection.ts").then(({ connect }) => connect(settings, surroundings, closing.signal));
    const forget = (): void => {
      if (current === opening) current = undefined;
    };
    opening.then(({ over }) => over).then(forget, forget);
    current = opening;
    return opening;
  }

  async function use<T>(tool: string, signal: AbortSignal, work: (held: Connection) => Promise<T>): Promise<T> {
    for (let again = true; ; again = false) {
      const held = await reach(tool, signal);
      try {
        return await work(held);
      } catch (error) {
        if (error instanceof HooklineError) throw error;
        if (signal.aborted) throw failed(tool, "the call was stopped", error);
        if (!again || !held.wasForgotten(error)) throw failed(tool, held.explain(error), error);
        current = undefined;
        await held.close();
      }
    }
  }

  async function reach(tool: string, signal: AbortSignal): Promise<Connection> {
    if (closing.signal.aborted) throw failed(tool, "the tools of this project have been closed");
    if (signal.aborted) throw failed(tool, "the call was stopped before it began");
    try {
      return await unlessAborted(connection(), signal);
    } catch (error) {
      if (signal.aborted) throw failed(tool, "the call was stopped while its server was being started", error);
      throw failed(tool, unreached(error), error);
    }
  }

  /** Servers differ in what they say to a call of a tool that they do not have; their list shows. */
  async function refuseUnknown({ client }: Connection, tool: string): Promise<void> {
    const names = await namesOf(client).catch(() => undefined); // then what the call itself said stands
    if (!names || names.includes(tool)) return;
    const near = nearest(tool, names);
    const advice = names.length === 0 ? "the server has none" : `it has: ${short(names.slice(0, 20).join(", "))}`;
    throw new HooklineError("tool_unknown", {
      name: `${name}.${tool}`,
      where,
      advice,
      ...(near === undefined ? {} : { near: `${name}.${near}` }),
    });
  }

  return {
    call: (tool, input, signal) =>
      use(`${name}.${tool}`, signal, async (held) => {
        try {
          const result = await held.client.callTool({ name: tool, arguments: input }, { signal, timeout: noLimitInMs });
          if (result.isError) await refuseUnknown(held, tool);
          return readResult(result);
        } catch (error) {
          if (!signal.aborted) await refuseUnknown(held, tool);
          throw error;
        }
      }),
    list: (signal) =>
      use(`${name}.*`, signal, async ({ client }) => {
        const tools = await toolsOf(client, { signal, timeout: noLimitInMs });
        return tools.map(({ name: tool, description, inputSchema, annotations }) => ({
          name: `${name}.${tool}`,
          ...(description === undefined ? {} : { description }),
          input: inputSchema as Fields, // it came as JSON
          ...(annotations?.readOnlyHint === undefined ? {} : { readOnly: annotations.readOnlyHint }),
        }));
      }),
    async close() {
      closing.abort();
      const last = current;
      current = undefined;
      await last?.then((held) => held.close()).catch(() => {}); // it was never reached, or has ended
    },
  };
}

type Client = Connection["client"];

function unreached(error: unknown): Trouble {
  const said = error instanceof Error && "said" in error && typeof error.said === "string" ? error.said : undefined;
  return { reason: `the server cannot be reached: ${error instanceof Error ? error.message : error}`, said };
}

/** A server's words become part of a run and of what an agent reads, however many they are. */
const longestReason = 2_000;
const short = (reason: string): string =>
  reason.length > longestReason ? `${reason.slice(0, longestReason)}…` : reason;

/** The client prints a line on stdout where the server has no tools, and stdout belongs to the agent. */
async function toolsOf(client: Client, options: NonNullable<Parameters<Client["listTools"]>[1]>) {
  if (!client.getServerCapabilities()?.tools) return [];
  return (await client.listTools(undefined, { ...options, cacheMode: "refresh" })).tools;
}

async function namesOf(client: Client): Promise<string[]> {
  return (await toolsOf(client, { timeout: lookUpInMs })).map(({ name }) => name);
}

// What a tool has answered, as hooks get it: structure where there is some, else text.

const limitInBytes: number = 1 << 20;

/**
 * Its structured content, else its text parts; text that is one JSON object or list is read, so that templates can walk
 * into it. Text beyond 1 MiB is cut, and says so.
 *
 * @throws Error for structure beyond 1 MiB, which cannot be cut
 */
function readResult({ structuredContent, content, isError }: CallToolResult): ToolAnswer {
  const text = content.map(textOf).join("\n");
  const output = (structuredContent as Json | undefined) ?? wholeJson(text); // it came as JSON
  const ok = isError !== true;
  if (output === undefined) return { ok, output: cut(text) };
  const size = Buffer.byteLength(JSON.stringify(output));
  if (size > limitInBytes) throw new Error(`its answer has ${size} bytes, and more than ${limitInBytes} are not kept`);
  return { ok, output, ...(text === "" ? {} : { text: cut(text) }) };
}

function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource") return "text" in block.resource ? block.resource.text : `[${block.resource.uri}]`;
  if (block.type === "resource_link") return `[${block.uri}]`;
  return `[${block.mimeType}]`; // a picture or a sound, which no hook can use
}

function wholeJson(text: string): Json | undefined {
  const isJson = text.length <= limitInBytes && /^\s*[[{]/.test(text);
  return isJson ? (parseJson(text) as Json | undefined) : undefined; // JSON.parse gives JSON
}

function cut(text: string): string {
  if (text.length * 3 <= limitInBytes) return text; // no character takes more than 3 bytes a unit
  const bytes = Buffer.from(text);
  if (bytes.length <= limitInBytes) return text;
  const half = limitInBytes / 2;
  const head = bytes
    .subarray(0, half)
    .toString()
    .replace(/\uFFFD+$/, "");
  const tail = bytes
    .subarray(-half)
    .toString()
    .replace(/^\uFFFD+/, "");
  return `${head}\n[cut: ${bytes.length - limitInBytes} of ${bytes.length} bytes are left out here]\n${tail}`;
}
