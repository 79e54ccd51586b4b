/** A server of the Model Context Protocol whose tools are the operations: the same descriptions, checks and errors as everywhere. */
import { Server, type Tool } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Fields } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Answer, Described, ServedOperations } from "../../operations/serve.ts";

export interface McpServerOptions {
  served: ServedOperations;
  version: string;
  stdin: NodeJS.ReadableStream & ConstructorParameters<typeof StdioServerTransport>[0];
  stdout: ConstructorParameters<typeof StdioServerTransport>[1];
  /** Told what goes wrong beside the calls. */
  complain(reason: string): void;
}

export interface McpConnection {
  /** Resolves when the client has left. */
  over: Promise<void>;
  close(): Promise<void>;
}

const instructions =
  "Hookline's operations: the projects, tasks, notes, memory and automations of this folder, the active hooks and what they did.";

export function serveOverStdio({ served, version, stdin, stdout, complain }: McpServerOptions): McpConnection {
  const transport = new StdioServerTransport(stdin, stdout);
  const handle = serveStdio(() => serverOf(served, version), {
    transport,
    onerror: (error) => complain(error.message),
  });
  const over = new Promise<void>((resolve) => {
    for (const end of ["end", "close", "error"]) stdin?.once(end, () => resolve());
  });
  return { over, close: () => handle.close() };
}

function serverOf(served: ServedOperations, version: string): Server {
  const server = new Server(
    { name: "hookline", title: "Hookline", version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler("tools/list", () => ({ tools: served.list().map(toolOf) }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: input = {} } }, { mcpReq }) =>
    resultOf(await served.call(name, input, { signal: mcpReq.signal })),
  );
  return server;
}

const toolOf = ({ name, summary, input, readOnly, destructive }: Described): Tool => ({
  name,
  description: summary,
  inputSchema: asObject(input),
  annotations: { readOnlyHint: readOnly, ...(readOnly ? {} : { destructiveHint: destructive }) },
});

/** Every operation takes an object. */
const asObject = (input: Fields): Tool["inputSchema"] => ({ ...input, type: "object" });

interface CallResult {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  [more: string]: unknown;
}

/** What is refused is told to the model, who may do better; the protocol's own errors are for broken clients. */
function resultOf(answer: Answer): CallResult {
  if (answer.is !== "done") return { content: [{ type: "text", text: answer.message }], isError: true };
  const { result } = answer;
  return {
    content: [{ type: "text", text: typeof result === "string" ? result : JSON.stringify(result) }],
    ...(isRecord(result) ? { structuredContent: result } : {}),
  };
}
