/** Troubles of language servers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HooklineError } from "../../../src/engine/error.ts";
import { isAlive, scratch, scripted, soon } from "./scratch.ts";

const failed = (error: unknown): boolean => error instanceof HooklineError && error.code === "language_server_failed";

test("[D61] a server that ends over a file is started once more, and then the diagnosis fails with its last words", async (t) => {
  const { servers, started, write } = scratch(t, {}, scripted("crashing"));
  const asked = servers.diagnose(write("a.scripted", ""), undefined, soon());
  await assert.rejects(
    asked,
    (error) => failed(error) && /exit code 3; .*out of luck: no more of it/.test(String(error)),
  );
  assert.equal(started.length, 2);
});

test("[D61] a server that ended once answers from its second process", async (t) => {
  const { root, servers, started, write } = scratch(t, {}, scripted("crashingOnce", "crashed"));
  const { diagnostics } = await servers.diagnose(write("a.scripted", "bad"), undefined, soon());
  assert.equal(diagnostics[0]?.message, "after a crash");
  assert.equal(started.length, 2, root);
});

test("[D61] a server that says nothing fails when the time is up, and continues to serve the next caller", async (t) => {
  const { servers, started, write } = scratch(t, {}, scripted("silent"));
  const file = write("a.scripted", "");
  for (let round = 0; round < 2; round++)
    await assert.rejects(servers.diagnose(file, undefined, AbortSignal.timeout(300)), failed);
  assert.equal(started.length, 1);
});

test("[D61] a server that never introduces itself fails when the time is up, and holds no end back", async (t) => {
  const { servers, started, write } = scratch(t, {}, scripted("mute"));
  const asked = servers.diagnose(write("a.scripted", ""), undefined, AbortSignal.timeout(300));
  await assert.rejects(asked, (error) => failed(error) && /still starting/.test(String(error)));
  await servers.close();
  assert.deepEqual(
    started.map(({ pid }) => isAlive(pid)),
    [false],
  );
});

test("[D61] a program that does not use the protocol fails with what it printed", async (t) => {
  const args = ["-e", "console.error('wrong program'); process.exit(1)"];
  const { servers, write } = scratch(t, {}, { odd: { command: process.execPath, args, extensions: [".odd"] } });
  const asked = servers.diagnose(write("a.odd", ""), undefined, soon());
  await assert.rejects(asked, (error) => failed(error) && /exit code 1; .*wrong program/.test(String(error)));
});
