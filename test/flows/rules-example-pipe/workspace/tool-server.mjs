// A tool server over standard input and output, without a library: one JSON-RPC message a line.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tools = [
  {
    name: "extract",
    description: "Takes the links out of a page.",
    inputSchema: {
      type: "object",
      properties: { html: { type: "string" }, schema: { type: "string" }, max_links: { type: "number" } },
    },
  },
];

function resultOf({ method, params }) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "web", version: "1" },
    };
  if (method === "tools/list") return { tools };
  if (method !== "tools/call") return {};
  appendFileSync("calls.jsonl", `${JSON.stringify(params)}\n`);
  if (params.arguments.html === "broken") return { content: [{ type: "text", text: "no page" }], isError: true };
  return { content: [{ type: "text", text: "https://example.org" }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: resultOf(request) })}\n`);
}
