/** The tools under test, with the real client, real servers and real processes. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ErrorCode, HooklineError } from "../../../src/engine/error.ts";
import type { Fields } from "../../../src/engine/event.ts";
import type { Tools } from "../../../src/engine/external-services.ts";
import type { McpServer } from "../../../src/formats/config/config.ts";
import { startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { createTools, type ToolsOptions } from "../../../src/services/mcp/index.ts";
import { bundled } from "../../program.ts";

export { temporaryFolder } from "../../temporary-folder.ts";

export const never: AbortSignal = new AbortController().signal;
const fixtures = fileURLToPath(new URL("../../fixtures/mcp/", import.meta.url));

const started = (...args: string[]): Extract<McpServer, { command: string }> => ({
  command: process.execPath,
  args,
  timeout: 600, // a busy machine starts it late
});

/** A server with all tools, as people write servers. */
export const stdio = (...words: "modern"[]): ReturnType<typeof started> =>
  started(bundled(join(fixtures, "stdio.ts")), ...words);

/** A server that starts quickly, and misbehaves as these words say. */
export const plain = (...words: string[]): ReturnType<typeof started> => started(join(fixtures, "plain.mjs"), ...words);

export function toolsOf(
  context: { after(work: () => unknown): void },
  servers: Record<string, McpServer>,
  options: Partial<ToolsOptions> = {},
): Tools {
  const environment = { PATH: process.env.PATH ?? "", HOME: "/home/somebody" };
  const tools = createTools({ servers, start: startPipedProcess, environment, cwd: tmpdir(), ...options });
  context.after(() => tools.close());
  return tools;
}

/** The text that a tool answers. */
export async function say(
  tools: Tools,
  name: string,
  input: Fields = {},
  signal: AbortSignal = never,
): Promise<string> {
  const { output } = await tools.call(name, input, signal);
  return String(output);
}

/** For assert.rejects: an error of this code whose message fits. */
export const error =
  (code: ErrorCode, message: RegExp): ((thrown: unknown) => true) =>
  (thrown) => {
    assert.ok(thrown instanceof HooklineError, String(thrown));
    assert.equal(thrown.code, code);
    assert.match(thrown.message, message);
    return true;
  };

/** Resolves when the file holds this line. */
export function lineIn(file: string, line: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(file) || !readFileSync(file, "utf8").split("\n").includes(line)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(join(file, ".."), look);
    look();
  });
}
