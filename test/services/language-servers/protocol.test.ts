/** What is said to a language server and heard from it, with a server that does what a test wants. */
import assert from "node:assert/strict";
import { chmodSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HooklineError } from "../../../src/engine/error.ts";
import { isAlive, scratch, script, scripted, soon } from "./scratch.ts";

test("[D61] what a server publishes in parts is reported when the last part is there, and nothing of an older text", async (t) => {
  const { servers, write } = scratch(t, {}, scripted("parts"));
  const diagnosis = await servers.diagnose(write("a.scripted", "good\n  bad\n"), undefined, soon());
  assert.deepEqual(diagnosis.diagnostics, [
    {
      line: 2,
      column: 3,
      endLine: 2,
      endColumn: 6,
      severity: "error",
      message: "the second part",
      source: "scripted",
      code: "7",
    },
  ]);
  assert.equal(diagnosis.skipped, undefined);
});

test("[D61] diagnostics without versions count, and so do those under an address with other escapes", async (t) => {
  const { servers, write } = scratch(t, {}, scripted("unversioned"));
  const file = write("a name (1)[x].scripted", "bad");
  assert.deepEqual(
    (await servers.diagnose(file, undefined, soon())).diagnostics.map(({ message }) => message),
    ["without a version"],
  );
  assert.deepEqual((await servers.diagnose(file, "good", soon())).diagnostics, []);
});

test("[D61] a server that offers pulling late is pulled, and asked again where it was interrupted", async (t) => {
  const { servers, write } = scratch(t, {}, scripted("late"));
  const file = write("a.scripted", "bad");
  assert.equal((await servers.diagnose(file, undefined, soon())).diagnostics[0]?.message, "pulled");
  assert.deepEqual((await servers.diagnose(file, "good", soon())).diagnostics, []);
});

test("[D61] a server that reads the project first is asked when it says that it has", async (t) => {
  const { servers, write } = scratch(t);
  const line = `#!/bin/sh\nexec "${process.execPath}" "${script}" reading\n`;
  chmodSync(write("node_modules/.bin/rust-analyzer", line), 0o755);
  const { diagnostics } = await servers.diagnose(write("a.rs", "bad"), undefined, soon());
  assert.deepEqual(
    diagnostics.map(({ message }) => message),
    ["read"],
  );
});

test("[D61] the text is the given one; without one it is read from the disk", async (t) => {
  const { servers, write } = scratch(t, {}, scripted("asked"));
  const file = write("a.scripted", "good");
  assert.equal((await servers.diagnose(file, "bad", soon())).diagnostics.length, 1);
  assert.equal((await servers.diagnose(file, undefined, soon())).diagnostics.length, 0);
});

test("[D61] one process serves all files of a server, versions rise, and a file that changed in the meantime is closed", async (t) => {
  const { servers, started, write } = scratch(t, {}, scripted("opened"));
  const [first, second] = [write("a.scripted", "bad"), write("b.scripted", "bad")];
  const said = async (file: string) => (await servers.diagnose(file, undefined, soon())).diagnostics[0]?.message;
  assert.equal(await said(first), "open: 1, version 1");
  assert.equal(await said(second), "open: 2, version 2");
  assert.equal(await said(first), "open: 2, version 3");
  utimesSync(first, 1, 1);
  assert.equal(await said(second), "open: 1, version 4");
  assert.equal(started.length, 1);
});

test("[D61] diagnoses that are asked for at once share one process, and each gets its own answer", async (t) => {
  const { servers, started, write } = scratch(t, {}, scripted("parts"));
  const counts = await Promise.all(
    ["bad", "good", "bad\nbad"].map(async (text, index) => {
      const { diagnostics } = await servers.diagnose(write(`${index}.scripted`, text), undefined, soon());
      return diagnostics.length;
    }),
  );
  assert.deepEqual(counts, [1, 0, 2]);
  assert.equal(started.length, 1);
});

test("[D61] a server's own questions are answered, and none of its edits is made", async (t) => {
  const { root, servers, write } = scratch(t, {}, scripted("curious"));
  const { diagnostics } = await servers.diagnose(write("a.scripted", ""), undefined, soon());
  const [settings, folders, edit, progress, unknown] = JSON.parse(diagnostics[0]?.message ?? "[]");
  assert.deepEqual(settings, [{ strict: true }, null]);
  assert.equal(folders[0].uri, `file://${root}`);
  assert.equal(edit.applied, false);
  assert.equal(progress, null);
  assert.equal(unknown.refused, -32601);
  const introduced = JSON.parse(readFileSync(join(root, "introduced.json"), "utf8"));
  assert.equal(introduced.rootUri, `file://${root}`);
  assert.equal(introduced.capabilities.workspace.applyEdit, false);
});

test("[D61] a server inherits the environment, less what names a key or a session", async (t) => {
  const { servers, write } = scratch(t, {}, scripted("naming"));
  const { diagnostics } = await servers.diagnose(write("a.scripted", "bad"), undefined, soon());
  const names = diagnostics[0]?.message.split(" ") ?? [];
  assert.deepEqual(
    ["GOPATH", "HOME", "PATH", "SOME_API_KEY", "SSH_AUTH_SOCK"].filter((name) => names.includes(name)),
    ["GOPATH", "HOME", "PATH"],
  );
});

test("[D61] closing ends every server with all that it started; afterwards nothing is diagnosed", async (t) => {
  const { servers, started, write } = scratch(t, {}, scripted("asked"));
  const file = write("a.scripted", "");
  await servers.diagnose(file, undefined, soon());
  const pid = started[0]?.pid ?? 0;
  assert.ok(isAlive(pid));
  await Promise.all([servers.close(), servers.close()]);
  assert.ok(!isAlive(pid));
  await assert.rejects(
    servers.diagnose(file, undefined, soon()),
    (error) => error instanceof HooklineError && error.code === "closed",
  );
});

test("[D61] a file that is not there is an error, one that is too large is skipped", async (t) => {
  const { root, servers, write } = scratch(t, {}, scripted("asked"));
  await assert.rejects(
    servers.diagnose(join(root, "none.scripted"), undefined, soon()),
    (error) => error instanceof HooklineError && error.code === "file_unreadable",
  );
  const large = await servers.diagnose(write("large.scripted", "x".repeat(3 << 20)), undefined, soon());
  assert.match(large.skipped ?? "", /larger than/);
});
