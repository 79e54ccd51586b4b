import assert from "node:assert/strict";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createSpawn } from "../../../src/runtime/processes/spawn.ts";
import { goes } from "./gone.ts";
import { helperFile, isRunning, PATH, pidsIn, runLine, temporaryFolder } from "./running.ts";
import { childrenOf, descriptorsOf, helpers, here, start, testManyAtOnce } from "./spawner-started.ts";

test("[R14] when this process is killed, nothing that it had started continues", here, async (context) => {
  const folder = temporaryFolder(context);
  const script = join(folder, "parent.ts");
  writeFileSync(
    script,
    `import { createSpawner } from ${JSON.stringify(new URL("../../../src/runtime/processes/spawner.ts", import.meta.url).href)};
     const { spawn } = createSpawner({ file: ${JSON.stringify(helperFile)} });
     const line = 'echo $$ >> pids; sleep 60 & echo $! >> pids; wait';
     for (let at = 0; at < 3; at++)
       spawn({ program: "sh", args: ["-c", line], cwd: ${JSON.stringify(folder)}, environment: { PATH: process.env.PATH }, input: "" },
         { signal: new AbortController().signal });`,
  );
  const wait = `until [ "$(cat pids 2>/dev/null | wc -l)" -ge 6 ]; do sleep 0.02; done; kill -9 $!`;
  await runLine(`'${process.execPath}' --no-warnings '${script}' & ${wait}`, { cwd: folder, leftovers: "keep" });
  for (const pid of pidsIn(join(folder, "pids"))) assert.ok(await goes(pid), `${pid} goes on`);
});

testManyAtOnce(40);

test("[F5] a program that floods does not keep a quick one from answering", here, async (context) => {
  const { line } = start(context);
  const stop = new AbortController();
  const flood = line("exec yes", { signal: stop.signal, detaches: () => false });
  const quick = line("cat", { input: "quick" });
  const first = await Promise.race([flood.then(() => "flood"), quick.then(({ stdout }) => stdout)]);
  assert.equal(first, "quick");
  stop.abort();
  const { how } = await flood;
  assert.ok(how === "aborted" || how === "output", how); // 64 MiB are soon there
});

test("[F7] 10 MB for a program that does not read delay no other program", here, async (context) => {
  const { line } = start(context);
  const stop = new AbortController();
  const deaf = line("sleep 60", { input: "x".repeat(10 << 20), signal: stop.signal });
  const quick = await line("wc -c", { input: "y".repeat(1 << 20) });
  assert.equal(quick.stdout.trim(), String(1 << 20));
  stop.abort();
  assert.equal((await deaf).how, "aborted");
});

test(
  "when the helper is killed, what it ran has failed with a reason, its trees are ended, and the next one works",
  here,
  async (context) => {
    const folder = temporaryFolder(context);
    const { line, helper } = start(context);
    const begun = Promise.withResolvers<void>();
    const detaches = (): boolean => {
      begun.resolve();
      return false;
    };
    const strays =
      "echo $$ >> pids; (setsid sleep 60 & echo $! >> pids; sleep 60 & echo $! >> pids); echo '{}'; wait; sleep 60";
    const running = line(strays, { cwd: folder, detaches });
    await begun.promise;
    process.kill(helper(), "SIGKILL");
    const ended = await running;
    assert.equal(ended.how, "launch");
    assert.match(ended.reason ?? "", /the process that starts programs has ended/);
    assert.equal(ended.survivors, 0);
    assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
    assert.equal((await line("echo again")).stdout, "again\n");
  },
);

test("[R54] a helper that is stuck is ended, so that a program's limit still holds", here, async (context) => {
  const { line, helper } = start(context);
  await line("true");
  process.kill(helper(), "SIGSTOP");
  const ended = await line("sleep 60", { signal: AbortSignal.timeout(50) });
  assert.equal(ended.how, "launch");
  assert.equal((await line("echo again")).stdout, "again\n");
});

test("descriptors are neither lost here nor in the helper, however a program ends", here, async (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, "plain"), "no program");
  const { run, line, helper } = start(context, { limits: { endsAtInBytes: 1 << 20, grace: 0.1 } });
  const each = async (): Promise<void> => {
    const turn = new AbortController();
    const aborted = line("echo '{}'; sleep 60", {
      signal: turn.signal,
      detaches() {
        turn.abort();
        return false;
      },
    });
    const marked = await line(`echo '{"async":true}'`, { detaches: () => true });
    await Promise.all([
      ...[aborted, marked.rest?.done, run("true", []), run("hookline-has-no-such-program", [])],
      ...[run(join(folder, "plain"), []), line("exec yes"), line("exit 0", { input: "x".repeat(1 << 20) })],
      line("sleep 60 & exit 0"),
    ]);
  };
  await each();
  const before = [descriptorsOf(process.pid), descriptorsOf(helper())];
  await each();
  assert.deepEqual([descriptorsOf(process.pid), descriptorsOf(helper())], before);
  assert.deepEqual(childrenOf(helper()), []);
});

test("a program gets exactly its environment, whatever the names, and all of its words", here, async (context) => {
  const { run } = start(context);
  const odd = { "a b": "1", "x.y-z": "two\nlines", ÄÖ: "ü", EMPTY: "", "BASH_FUNC_f%%": "() { :; }" };
  const { stdout } = await run("/usr/bin/env", ["-0"], { environment: odd });
  const found = Object.fromEntries(
    stdout
      .split("\0")
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const { HOOKLINE_RUN_COOKIE: _, ...rest } = found;
  assert.deepEqual(rest, odd);
  const words = Array.from({ length: 5000 }, (_, index) => `word ${index}`);
  const printed = await run("printf", ["%s\\n", ...words]);
  assert.deepEqual(printed.stdout.trimEnd().split("\n"), words);
});

test("PATH is the program's own, and without one the system's usual folders count", here, async (context) => {
  const folder = temporaryFolder(context);
  const { run } = start(context);
  writeFileSync(join(folder, "greet"), "echo greeted $1\n", { mode: 0o755 }); // no #! line: a shell reads it
  const found = await run("greet", ["you"], { environment: { PATH: `/nowhere::${folder}:/usr/bin:/bin` } });
  assert.equal(found.stdout, "greeted you\n");
  const without = await run("greet", [], { environment: { PATH: "/usr/bin" } });
  assert.match(without.reason ?? "", /greet was not found \(ENOENT\)/);
  assert.equal((await run("true", [], { environment: {} })).code, 0);
});

test("a program runs as the user that is named", {
  skip: process.getuid?.() === 0 ? here.skip : "only root can run others",
}, async (context) => {
  const { run } = start(context);
  const { stdout } = await run("sh", ["-c", "id -u; id -g; id -G"], { user: { uid: 65534, gid: 65534 }, cwd: "/" });
  assert.equal(stdout, "65534\n65534\n65534\n");
});

test("a program's files are made with the umask that is named, and the next one's with ours", here, async (context) => {
  const { run } = start(context);
  const child = createSpawn();
  const command = { program: "sh", args: ["-c", "umask"], cwd: tmpdir(), environment: { PATH }, input: "" };
  const signal = new AbortController().signal;
  const ours = process.umask();
  for (const umask of [0o077, 0, undefined, 0o227]) {
    const more = umask === undefined ? {} : { umask };
    const expected = umask ?? ours;
    const said = [await run("sh", ["-c", "umask"], more), await child({ ...command, ...more }, { signal })];
    assert.deepEqual(
      said.map(({ stdout }) => Number.parseInt(stdout, 8)),
      [expected, expected],
    );
  }
  assert.equal(process.umask(), ours);
});

/** It leaves one program behind in another session, writes the ids of both down, and says one line. */
function lineThatLasts(
  { line }: ReturnType<typeof start>,
  folder: string,
): { running: ReturnType<typeof line>; begun: Promise<void> } {
  const begun = Promise.withResolvers<void>();
  const detaches = (): boolean => {
    begun.resolve();
    return false;
  };
  const running = line("setsid sleep 60 & { echo $!; echo $$; } > pids; echo '{}'; exec sleep 60", {
    detaches,
    cwd: folder,
  });
  return { running, begun: begun.promise };
}

test(
  "closing ends what has left its session and holds the program's streams, although the helper knows nothing of it",
  here,
  async (context) => {
    const folder = temporaryFolder(context);
    const spawner = start(context);
    const { running, begun } = lineThatLasts(spawner, folder);
    await begun;
    await spawner.close();
    assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
    assert.equal((await running).signal, "SIGTERM");
  },
);

test(
  "a helper that is stuck does not keep anybody from closing, and goes with all that it runs",
  here,
  async (context) => {
    const folder = temporaryFolder(context);
    const spawner = start(context);
    const { running, begun } = lineThatLasts(spawner, folder);
    await begun;
    const helper = spawner.helper();
    process.kill(helper, "SIGSTOP");
    await spawner.close();
    assert.ok(await goes(helper));
    assert.equal((await running).how, "launch");
    assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
  },
);

test(
  "a caller that takes over a program gets no other program's output if it has closed its own",
  here,
  async (context) => {
    const folder = temporaryFolder(context);
    const { line } = start(context);
    const stop = new AbortController();
    const detaches = (said: string): boolean => said.startsWith("{");
    const closed = "echo '{}'; exec 1>&- 2>&-; : > closed; until [ -e go ]; do sleep 0.02; done";
    const detached = await line(closed, { detaches, cwd: folder });
    await line("until [ -e closed ]; do sleep 0.02; done", { cwd: folder });
    const others = [1, 2, 3].map(() => line("exec sleep 60", { signal: stop.signal })); // they get the descriptors that are free
    await line("true");
    const released = detached.rest?.release();
    assert.deepEqual([released?.stdout, released?.stderr], ["ignore", "ignore"]);
    writeFileSync(join(folder, "go"), "");
    stop.abort();
    await Promise.all(others);
  },
);

test("closing ends what runs, and what is started later runs without the helper", here, async (context) => {
  const spawner = start(context);
  const begun = Promise.withResolvers<void>();
  const detaches = (): boolean => {
    begun.resolve();
    return false;
  };
  const running = spawner.line("echo '{}'; exec sleep 60", { detaches });
  await begun.promise;
  const helper = spawner.helper();
  await spawner.close();
  assert.ok(await goes(helper));
  assert.equal((await running).signal, "SIGTERM");
  assert.equal((await spawner.line("echo later")).stdout, "later\n");
  assert.deepEqual(
    helpers().filter((pid) => pid === helper),
    [],
  );
});

test("an idle helper keeps no process alive, and ends with it", here, async (context) => {
  const script = join(temporaryFolder(context), "idle.ts");
  writeFileSync(
    script,
    `import { readFileSync } from "node:fs";
     import { createSpawner } from ${JSON.stringify(new URL("../../../src/runtime/processes/spawner.ts", import.meta.url).href)};
     const { spawn } = createSpawner({ file: ${JSON.stringify(helperFile)} });
     await spawn({ program: "true", args: [], cwd: "/", environment: { PATH: process.env.PATH }, input: "" }, { signal: new AbortController().signal });
     console.log(readFileSync(\`/proc/\${process.pid}/task/\${process.pid}/children\`, "utf8").trim());`,
  );
  const { stdout, code } = await runLine(`exec '${process.execPath}' --no-warnings '${script}'`);
  assert.equal(code, 0);
  assert.ok(await goes(Number(stdout)), "the helper goes on");
});

for (const [what, mode, content] of [
  ["may not be executed", 0o644, undefined],
  ["is for another processor", 0o755, "\x7fELF\x02\x01\x01 no processor has this"],
] as const)
  test(`a helper that ${what} is reported once, and programs run all the same`, here, async (context) => {
    const file = join(temporaryFolder(context), "hookline-spawner");
    if (content === undefined) copyFileSync(helperFile, file);
    else writeFileSync(file, content, "latin1");
    chmodSync(file, mode);
    const complaints: string[] = [];
    const { line } = start(context, { file, complain: (message) => complaints.push(message) });
    const both = await Promise.all([line("cat", { input: "one" }), line("cat", { input: "two" })]);
    assert.deepEqual(
      both.map(({ stdout }) => stdout),
      ["one", "two"],
    );
    assert.equal((await line("echo three")).stdout, "three\n");
    assert.equal(complaints.length, 1);
    assert.match(complaints[0] ?? "", /cannot be executed/);
  });

test("the helper of this system is found next to the sources", here, async (context) => {
  const spawner = start(context, { file: undefined });
  await spawner.line("true");
  assert.ok(spawner.helper() > 0);
});
