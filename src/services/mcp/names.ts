/** The names of tools: `server.tool` as rules write them, `mcp__server__tool` as agents do. */
import { nearest } from "../../engine/nearest.ts";

export interface ToolName {
  server: string;
  tool: string;
}

/** Agents write every other character of a server's name as an underscore. */
const asAgentsWrite = (server: string): string => server.replace(/[^\w-]/g, "_");

/** What a name means among these servers; undefined: none of them. The longest server name counts, as names may hold dots. */
export function splitName(name: string, servers: Iterable<string>): ToolName | undefined {
  let found: ToolName | undefined;
  for (const server of servers) {
    const prefix = [`${server}.`, `mcp__${asAgentsWrite(server)}__`].find((start) => name.startsWith(start));
    const tool = name.slice(prefix?.length);
    if (prefix && tool !== "" && (!found || server.length > found.server.length)) found = { server, tool };
  }
  return found;
}

/** The name with the server that was most likely meant. */
export function nearServer(name: string, servers: Iterable<string>): string | undefined {
  const [, written = "", tool = ""] = /^(?:mcp__)?(.+?)(?:\.|__)(.+)$/s.exec(name) ?? [];
  const near = nearest(written, servers);
  return near === undefined ? undefined : `${near}.${tool}`;
}
