/** A store with so many runs that a pipe does not take what a command prints of them, and a command that says when it waits. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { TestContext } from "node:test";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { bin } from "../../program.ts";
import { world } from "../../world.ts";

export const count = 1_000;

/**
 * Loaded before the command: says on descriptor 3 that the command has had many turns of its event loop since it began to print,
 * and lets the command's own timer, behind which it ends, pass at once.
 */
const watched = `
  import { writeSync } from "node:fs";
  const write = process.stdout.write.bind(process.stdout);
  let begun = false;
  process.stdout.write = (...given) => {
    if (!begun) { begun = true; wait(100); }
    return write(...given);
  };
  const wait = (turns) => setImmediate(() => (turns === 0 ? writeSync(3, "printed") : wait(turns - 1)));
  const later = globalThis.setTimeout;
  globalThis.setTimeout = (callback, milliseconds, ...given) => later(callback, milliseconds === 500 ? 0 : milliseconds, ...given);
`;

export interface Started {
  child: ChildProcess;
  stdout: Readable;
  /** It has printed all that the pipe takes, or it has ended. */
  stuck: Promise<unknown>;
  ended: Promise<{ code: number | string | null; stderr: string }>;
}

export function place(t: TestContext): { hookline(...words: string[]): Started } {
  const { workspace: cwd, environment, store: path } = world(t);
  const env = { ...environment, HOOKLINE_DAEMON: "off", COLUMNS: "400" };
  const store = openSqliteStore({ path });
  store.batch?.(() => {
    for (let index = 0; index < count; index++)
      store.saveRun({
        ...{ id: `run-${String(index).padStart(6, "0")}`, eventId: "e", eventName: "a.b", hook: "h", hookName: "h" },
        ...{ status: "failed", reason: "x".repeat(300), cause: "event", startedAt: 1, steps: [], notes: [], asked: 1 },
      });
  });
  store.close();
  return {
    hookline(...words) {
      const preload = `data:text/javascript,${encodeURIComponent(watched)}`;
      const child = spawn(process.execPath, ["--import", preload, bin, ...words], {
        ...{ cwd, env, stdio: ["ignore", "pipe", "pipe", "pipe"] },
      });
      const [, stdout, errors, signs] = child.stdio;
      assert.ok(stdout && errors && signs);
      t.after(() => child.kill("SIGKILL"));
      let stderr = "";
      errors.on("data", (bytes: Buffer) => {
        stderr += bytes;
      });
      const exited = once(child, "exit");
      return {
        child,
        stdout: stdout as Readable, // it is the child's output
        stuck: Promise.race([once(signs, "data"), exited]),
        ended: exited.then(([code, signal]) => ({ code: code ?? signal, stderr })),
      };
    },
  };
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const bytes of stream) text += bytes;
  return text;
}

/** A reader that begins late gets all. */
export async function reachesLateReader(t: TestContext, form: "JSON" | "text"): Promise<void> {
  const { stdout, stuck, ended } = place(t).hookline(
    "runs",
    "--all",
    ...(form === "JSON" ? ["--json"] : []),
    "--limit",
    String(count),
  );
  await stuck;
  const text = await textOf(stdout);
  assert.deepEqual(await ended, { code: 0, stderr: "" });
  assert.ok(text.length > 200_000, `${text.length} bytes`);
  if (form === "JSON") assert.equal(JSON.parse(text).runs?.length ?? JSON.parse(text).length, count);
  else
    assert.equal(
      text
        .trimEnd()
        .split("\n")
        .filter((line) => line.includes("xxx")).length,
      count,
    );
}
