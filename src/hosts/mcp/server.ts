/**
 * hookline mcp: a server of the Model Context Protocol over standard input and output, whose tools are the operations: the
 * same descriptions, checks and errors as everywhere.
 */
import { Writable } from "node:stream";
import { Server, type Tool } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import { nearest } from "../../engine/nearest.ts";
import { isRecord } from "../../engine/schema.ts";
import { operations } from "../../operations/index.ts";
import {
  type Answer,
  type Choice,
  type Described,
  describeOperations,
  means,
  type ServedOperations,
  serveOperations,
} from "../../operations/serve.ts";
import { type ExitCode, type Invocation, textFlag, usageError, version } from "../cli/command.ts";
import { openAt } from "../cli/operations/at.ts";
import { oneLine } from "../cli/terminal.ts";

export async function mcp(invocation: Invocation): Promise<ExitCode> {
  const choice = choiceOf(invocation);
  const complain = (reason: string): void => invocation.terminal.error(`hookline mcp: ${oneLine(reason)}`);
  const served = perCall(invocation, choice, complain);
  const handle = serveStdio(() => serverOf(served), {
    transport: new StdioServerTransport(process.stdin, protocolOutput()),
    onerror: (error) => complain(error.message),
  });
  await Promise.race([clientLeft(), aborted(invocation.signal)]);
  await handle.close();
  await served.finished();
  return 0;
}

/** Modules of the project print to the log from the moment that they are loaded; the protocol goes on as it began. */
function protocolOutput(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      write(chunk, done);
    },
  });
}

const clientLeft = (): Promise<void> =>
  new Promise((resolve) => {
    for (const end of ["end", "close", "error"]) process.stdin.once(end, () => resolve());
  });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** @throws HooklineError usage for a name that stands for nothing */
function choiceOf({ flags, usage }: Invocation): Choice {
  const written = textFlag(flags, "tools");
  const only = written
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const names = [...operations.keys()];
  for (const name of only ?? [])
    if (!names.some((one) => means(name, one))) {
      const near = nearest(name, [...names, ...names.map((one) => one.split("_")[0] ?? one)]);
      throw usageError(`--tools: no operation is called "${name}"${near ? `: did you mean "${near}"?` : ""}`, usage);
    }
  return { forModels: true, ...(only ? { only } : {}), ...(flags["read-only"] === true ? { readOnly: true } : {}) };
}

/**
 * Each call is answered by a line of its own, so that hooks and settings are as they are then. What a call has started
 * goes on behind its answer.
 */
function perCall(
  invocation: Invocation,
  choice: Choice,
  complain: (reason: string) => void,
): ServedOperations & { finished(): Promise<void> } {
  const finishing = new Set<Promise<void>>();

  async function call(...[name, input, asking]: Parameters<ServedOperations["call"]>): Promise<Answer> {
    const opened = await openAt(invocation, { reads: operations.get(name)?.readOnly === true });
    const end = async (): Promise<void> => {
      try {
        await opened.settled();
      } finally {
        await opened.close();
      }
    };
    try {
      const { setOff: _waits, ...at } = opened.at;
      return await serveOperations(operations, at, choice).call(name, input, asking);
    } finally {
      const ending = end().catch((error: unknown) => complain(messageOf(error)));
      finishing.add(ending);
      void ending.finally(() => finishing.delete(ending)); // it never rejects
    }
  }

  return {
    list: () => describeOperations(operations, choice),
    async call(...asked) {
      try {
        return await call(...asked);
      } catch (cause) {
        return { is: "broken", message: messageOf(cause), cause };
      }
    },
    async finished() {
      while (finishing.size > 0) await Promise.all(finishing);
    },
  };
}

// The protocol: each operation as a tool.

const instructions =
  "Hookline's operations: the projects, tasks, notes, memory and automations of this folder, the active hooks and what they did.";

function serverOf(served: ServedOperations): Server {
  const server = new Server(
    { name: "hookline", title: "Hookline", version: version() },
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

/** The model reads what was refused, and may do better; the protocol's own errors are for broken clients. */
function resultOf(answer: Answer): CallResult {
  if (answer.is !== "done") return { content: [{ type: "text", text: answer.message }], isError: true };
  const { result, notes } = answer;
  const texts = [typeof result === "string" ? result : JSON.stringify(result), ...notes.map((note) => `note: ${note}`)];
  return {
    content: texts.map((text) => ({ type: "text", text })),
    ...(isRecord(result) ? { structuredContent: result } : {}),
  };
}
