import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { PipedProcess } from "../../../src/engine/program.ts";
import { startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { createSpawner } from "../../../src/runtime/processes/spawner.ts";
import { isRunning, PATH, pidsIn, temporaryFolder } from "./running.ts";

const linux = { skip: process.platform === "linux" ? false : "walks /proc" };

async function child(context: TestContext, line: string, start = startPipedProcess): Promise<PipedProcess> {
  const started = await start({
    program: "bash",
    args: ["--norc", "-c", line],
    cwd: tmpdir(),
    environment: { PATH },
  });
  context.after(() => started.end());
  return started;
}

/** Resolves with all output so far, once it holds this text. */
function outputUntil(one: PipedProcess, text: string): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    one.onOutput((chunk) => {
      said += Buffer.from(chunk).toString();
      if (said.includes(text)) resolve(said);
    });
  });
}

test("a piped process answers each line, as often as it gets one", async (context) => {
  const one = await child(context, 'while read -r word; do echo "heard $word"; done');
  const said = outputUntil(one, "heard two\n");
  one.write("one\n");
  one.write(new TextEncoder().encode("two\n"));
  assert.equal(await said, "heard one\nheard two\n");
});

test("what it says before anybody listens is not lost", async (context) => {
  const one = await child(context, "echo early; echo trouble >&2; read -r _; echo late");
  const said = outputUntil(one, "late\n");
  one.write("go\n");
  assert.equal(await said, "early\nlate\n");
  await one.ended;
  assert.equal(one.complaints(), "trouble");
});

test("a program that cannot be started says why", async () => {
  await assert.rejects(
    startPipedProcess({ program: "no-such-program-here", args: [], cwd: tmpdir(), environment: { PATH } }),
    /the program no-such-program-here was not found/,
  );
});

test("a crash is reported with its exit code, after its last words", async (context) => {
  const one = await child(context, "read -r _; echo last; echo broken >&2; exit 3");
  let said = "";
  one.onOutput((chunk) => {
    said += Buffer.from(chunk).toString();
  });
  one.write("go\n");
  assert.equal(await one.ended, "it ended with exit code 3");
  assert.equal(said, "last\n");
  assert.equal(one.complaints(), "broken");
});

test("a signal that ended it is named", async (context) => {
  const one = await child(context, "kill -KILL $$");
  assert.equal(await one.ended, "it was ended by SIGKILL");
});

test("who goes when its stdin is closed is not killed", async (context) => {
  const folder = temporaryFolder(context);
  const bye = join(folder, "bye");
  const begin = () => child(context, `cat >/dev/null; echo $$ > '${bye}'`);
  let one = await begin();
  await one.end();
  // On a busy machine it may not have gone within the time that it has for that.
  for (let tries = 1; !existsSync(bye) && tries < 50; tries++) {
    one = await begin();
    await one.end();
  }
  assert.equal(pidsIn(bye).length, 1);
  assert.equal(await one.ended, "it ended with exit code 0");
});

test("end() leaves nothing of its tree, not even what ignores TERM or left its session", linux, async (context) => {
  const folder = temporaryFolder(context);
  const pids = `echo $BASHPID >> '${folder}/pids'`;
  const one = await child(
    context,
    `trap '' TERM; (${pids}; exec sleep 60) & setsid bash -c 'echo $$ >> ${folder}/pids; exec sleep 60' & ${pids}
     until [ "$(wc -l < '${folder}/pids')" -ge 3 ]; do sleep 0.02; done; echo ready; while :; do sleep 60; done`,
  );
  await outputUntil(one, "ready");
  await Promise.all([one.end(), one.end()]); // twice is once
  assert.equal(pidsIn(join(folder, "pids")).length, 3);
  assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
  await one.end();
});

test("processes of a crashed program are ended too", linux, async (context) => {
  const folder = temporaryFolder(context);
  const one = await child(
    context,
    `setsid bash -c 'echo $$ > ${folder}/pids; exec sleep 60' >/dev/null 2>&1 </dev/null &
     until [ -s '${folder}/pids' ]; do sleep 0.02; done; exit 1`,
  );
  await one.ended;
  await one.end();
  assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
});

for (const [way, statement] of Object.entries({
  "ends by itself": "process.exit(0)",
  crashes: 'throw new Error("crash")',
}))
  test(`when our own process ${way}, its piped processes end with it`, linux, async (context) => {
    const folder = temporaryFolder(context);
    const module = new URL("../../../src/runtime/processes/piped-process.ts", import.meta.url).href;
    const line = `trap '' TERM; echo $$ >> '${folder}/pids'; sleep 60 & echo $! >> '${folder}/pids'; echo ready; wait; sleep 60`;
    const script = `
      const { startPipedProcess } = await import(${JSON.stringify(module)});
      const command = { program: "bash", args: ["--norc", "-c", ${JSON.stringify(line)}], cwd: "/", environment: process.env };
      const all = await Promise.all([startPipedProcess(command), startPipedProcess(command)]);
      await Promise.all(all.map((one) => new Promise((resolve) => one.onOutput(resolve))));
      setImmediate(() => { ${statement}; });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    await once(child, "exit");
    const pids = pidsIn(join(folder, "pids"));
    assert.equal(pids.length, 4);
    while (pids.some(isRunning)) await pause(25); // killed is not yet gone
    assert.deepEqual(pids.filter(isRunning), []);
  });

test("twelve piped processes at once cause no warning, and leave no listener", async (context) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  context.after(() => process.removeListener("warning", note));
  const before = process.listenerCount("exit");
  const all = await Promise.all(Array.from({ length: 12 }, () => child(context, "cat")));
  await Promise.all(all.map((one) => one.end()));
  assert.equal(process.listenerCount("exit"), before);
  assert.deepEqual(warnings, []);
});

test("one that the helper has started answers, gets everything in order, and ends in the same ways", async (context) => {
  const spawner = createSpawner();
  context.after(() => spawner.close());
  const begin = (line: string): Promise<PipedProcess> => child(context, line, spawner.startPiped);
  const echo = await begin(
    'echo early; while read -r word && [ $word != end ]; do echo "heard $word"; done; echo bye >&2; exit 3',
  );
  echo.write("one\n");
  assert.equal(await outputUntil(echo, "heard one\n"), "early\nheard one\n");
  echo.write("two\n");
  await outputUntil(echo, "heard two\n");
  echo.write("end\n");
  assert.equal(await echo.ended, "it ended with exit code 3");
  assert.equal(echo.complaints(), "bye");
  echo.write("anybody?\n");
  const text = `${"0123456789abcdef".repeat(64)}\n`.repeat(4096);
  const slow = await begin(`sleep 0.2; head -c ${text.length} | sha256sum | cut -c1-64`);
  const said = outputUntil(slow, "\n");
  for (let from = 0; from < text.length; from += 100_000) slow.write(Buffer.from(text.slice(from, from + 100_000)));
  assert.equal((await said).trim(), createHash("sha256").update(text).digest("hex"));
  const deaf = await begin("sleep 60");
  for (let written = 0; written < 12; written++) deaf.write("x".repeat(8 << 20));
  assert.match(await deaf.ended, /it did not read its input/);
  await assert.rejects(
    spawner.startPiped({ program: "no-such-program-here", args: [], cwd: tmpdir(), environment: { PATH } }),
    /the program no-such-program-here was not found/,
  );
});

test("a slow reader gets everything, in order", async (context) => {
  const text = `${"0123456789abcdef".repeat(64)}\n`.repeat(4096);
  const one = await child(context, `sleep 0.2; head -c ${text.length} | sha256sum | cut -c1-64`);
  const said = outputUntil(one, "\n");
  for (let from = 0; from < text.length; from += 100_000) one.write(text.slice(from, from + 100_000));
  assert.equal((await said).trim(), createHash("sha256").update(text).digest("hex"));
});

test("a program that never reads is ended before it fills our memory", async (context) => {
  const one = await child(context, "sleep 60");
  const chunk = "x".repeat(8 << 20);
  for (let written = 0; written < 12; written++) one.write(chunk);
  assert.match(await one.ended, /it did not read its input/);
});

test("writing to one that has ended does no harm", async (context) => {
  const one = await child(context, "exit 0");
  await one.ended;
  one.write("anybody?\n");
  await one.end();
  one.write("anybody?\n");
});
