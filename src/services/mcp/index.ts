/** The tools that a project's hooks may call: those of its servers, and the engine's own operations as one more module. */
import { HooklineError } from "../../engine/error.ts";
import type { ToolInfo, Tools } from "../../engine/external-services.ts";
import { nearest } from "../../engine/nearest.ts";
import { changedMeanwhile } from "../../engine/verified.ts";
import type { McpServer } from "../../formats/config/config.ts";
import type { Surroundings } from "./link.ts";
import { createServer, type Server } from "./server.ts";

/** Tools of this process, which need no server. Their names are module.action. */
export interface OwnModule extends Pick<Tools, "call" | "list" | "within"> {
  name: string;
}
export interface ToolsOptions extends Surroundings {
  /** mcp_servers in hookline.yaml. */
  servers: Readonly<Record<string, McpServer>>;
  operations?: OwnModule;
  /** The first file of the project's settings that is not what was trusted; absent: none ever is. */
  changed?(): string | undefined;
  /** Called when a server cannot say what it has: the lists of the others are given without it. */
  complain?(sentence: string): void;
}

/** Nothing is started before it is called. The own module's name goes before a server that is called the same. */
export function createTools({
  servers: settings,
  operations,
  complain,
  changed,
  ...surroundings
}: ToolsOptions): Tools {
  const servers = new Map<string, Server>(
    Object.entries(settings).map(([name, one]) => [name, createServer(name, one, surroundings)]),
  );
  const modules = new Set([...(operations ? [operations.name] : []), ...servers.keys()]);

  function unknown(name: string): HooklineError {
    const near = nearServer(name, modules);
    const where = servers.size === 0 ? "no server is configured" : `servers: ${[...servers.keys()].join(", ")}`;
    return new HooklineError("tool_unknown", { name, where, ...(near === undefined ? {} : { near }) });
  }

  async function listOf([name, server]: [string, Server], signal: AbortSignal): Promise<ToolInfo[]> {
    try {
      return await server.list(signal);
    } catch (error) {
      if (signal.aborted || !complain) throw error;
      complain(error instanceof Error ? error.message : `${name}: ${error}`);
      return [];
    }
  }

  return {
    async call(name, input, signal, event, key) {
      const found = splitName(name, modules);
      if (!found) throw unknown(name);
      if (found.server === operations?.name)
        return operations.call(`${found.server}.${found.tool}`, input, signal, event, key);
      const server = servers.get(found.server);
      if (!server) throw unknown(name);
      const answer = await server.call(found.tool, input, signal);
      const path = changed?.();
      if (path === undefined) return answer;
      throw new HooklineError("tool_failed", {
        name,
        reason: changedMeanwhile(path),
        where: `the server ${found.server}`,
      });
    },
    async list(signal, module) {
      const isMeant = (name: string): boolean => module === undefined || name === module;
      const lists = await Promise.all([
        operations && isMeant(operations.name) ? operations.list(signal) : [],
        ...[...servers].filter(([name]) => isMeant(name)).map((one) => listOf(one, signal)),
      ]);
      return lists.flat();
    },
    ...(operations?.within ? { within: operations.within } : {}),
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

// The names of tools: `server.tool` as rules write them, `mcp__server__tool` as agents do.

interface ToolName {
  server: string;
  tool: string;
}

/** Agents write every other character of a server's name as an underscore. */
const asAgentsWrite = (server: string): string => server.replace(/[^\w-]/g, "_");

/** What a name means among these servers; undefined: none of them. The longest server name counts, as names may hold dots. */
function splitName(name: string, servers: Iterable<string>): ToolName | undefined {
  let found: ToolName | undefined;
  for (const server of servers) {
    const prefix = [`${server}.`, `mcp__${asAgentsWrite(server)}__`].find((start) => name.startsWith(start));
    const tool = name.slice(prefix?.length);
    if (prefix && tool !== "" && (!found || server.length > found.server.length)) found = { server, tool };
  }
  return found;
}

/** The name with the server that was most likely meant. */
function nearServer(name: string, servers: Iterable<string>): string | undefined {
  const [, written = "", tool = ""] = /^(?:mcp__)?(.+?)(?:\.|__)(.+)$/s.exec(name) ?? [];
  const near = nearest(written, servers);
  return near === undefined ? undefined : `${near}.${tool}`;
}
