// A tool server of one tool: keeps the end of a test report. One JSON-RPC message a line, no library.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const keep = {
  name: "keep",
  description: "Keeps the end of a test report in test-reports.txt.",
  inputSchema: {
    type: "object",
    properties: { output: { type: "string" }, lines: { type: "number" } },
    required: ["output"],
  },
};

function resultOf({ method, params }) {
  if (method === "initialize") {
    const serverInfo = { name: "reports", version: "1.0.0" };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") return { tools: [keep] };
  if (method !== "tools/call") return {};
  const { output, lines = 10 } = params.arguments;
  const end = output.trim().split("\n").slice(-lines);
  appendFileSync("test-reports.txt", `${end.join("\n")}\n\n`);
  return { content: [{ type: "text", text: `kept ${end.length} lines in test-reports.txt` }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: resultOf(request) })}\n`);
}
