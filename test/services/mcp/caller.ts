/** A process of its own that calls tools: node caller.ts SERVERS. What servers say may not come out of it. */
import { startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { createTools } from "../../../src/services/mcp/index.ts";

const servers = JSON.parse(process.argv[2] ?? "{}");
const environment = { PATH: process.env.PATH ?? "" };
const tools = createTools({ servers, start: startPipedProcess, environment, cwd: "/", complain() {} });
const { signal } = new AbortController();
await tools.call("one.noise", {}, signal);
await Promise.resolve(tools.call("none.echo", {}, signal)).catch((error) => {
  if (error.code !== "tool_unknown") throw error;
});
await tools.list(signal);
await tools.close();
