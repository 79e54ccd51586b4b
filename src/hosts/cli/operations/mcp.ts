/** hookline mcp: every operation as a tool, for agents that speak the Model Context Protocol over standard input and output. */

import { Writable } from "node:stream";
import { messageOf } from "../../../engine/error.ts";
import { nearest } from "../../../engine/nearest.ts";
import { operations } from "../../../operations/index.ts";
import {
  type Answer,
  type Choice,
  describeOperations,
  means,
  type ServedOperations,
  serveOperations,
} from "../../../operations/serve.ts";
import { type ExitCode, type Invocation, textFlag, usageError, version } from "../command.ts";
import { openLine } from "../line.ts";
import { openStore } from "../store.ts";
import { oneLine } from "../terminal.ts";
import { contextOf } from "./run.ts";

export async function mcp(invocation: Invocation): Promise<ExitCode> {
  const choice = choiceOf(invocation);
  const complain = (reason: string): void => invocation.terminal.error(`hookline mcp: ${oneLine(reason)}`);
  const served = perCall(invocation, choice, complain);
  const { serveOverStdio } = await import("../../mcp/server.ts");
  const connection = serveOverStdio({
    served,
    version: version(),
    stdin: process.stdin,
    stdout: protocolOutput(),
    complain,
  });
  await Promise.race([connection.over, aborted(invocation.signal)]);
  await connection.close();
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
  return { ...(only ? { only } : {}), ...(flags["read-only"] === true ? { readOnly: true } : {}) };
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
  const { signal: stop } = invocation;
  const finishing = new Set<Promise<void>>();

  async function call(...[name, input, asking]: Parameters<ServedOperations["call"]>): Promise<Answer> {
    const store = openStore(invocation);
    await store.repair();
    const line = await openLine({ place: invocation, store, stop });
    const end = async (): Promise<void> => {
      try {
        await line.engine.close();
      } finally {
        await line.close();
      }
    };
    try {
      return await serveOperations(operations, contextOf(line, invocation), choice).call(name, input, asking);
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
