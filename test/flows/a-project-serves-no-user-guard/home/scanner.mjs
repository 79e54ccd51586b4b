import { createInterface } from "node:readline";

const verdict = process.argv[2];
const answer = JSON.stringify({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: verdict,
    permissionDecisionReason: `scanned: ${verdict}`,
  },
});

function resultOf({ method, params }) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "scanner", version: "1" },
    };
  if (method === "tools/list") return { tools: [{ name: "scan", inputSchema: { type: "object" } }] };
  return { content: [{ type: "text", text: answer }] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: resultOf(request) })}\n`);
}
