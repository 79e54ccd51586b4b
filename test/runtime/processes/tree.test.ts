import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { endTagged } from "../../../src/runtime/processes/tree.ts";
import { isRunning, PATH, pidsIn, temporaryFolder, withEachSpawner } from "./running.ts";
import { sleeper, testShapes, untilPid } from "./tree-shapes.ts";

const linux = { skip: process.platform === "linux" ? false : "walks /proc" };

withEachSpawner((runner) => {
  testShapes(runner, [
    "a child that ignores TERM",
    "a child in a session of its own",
    "a daemon, forked twice",
    "a session of its own with an emptied environment",
  ]);

  test(
    "[F4] a daemon without environment, parent and streams is what a process group cannot see",
    linux,
    async (context) => {
      const folder = temporaryFolder(context);
      const line = `(env -i /usr/bin/setsid ${sleeper(folder)} </dev/null >/dev/null 2>&1 &)\n${untilPid(folder)}; sleep 60`;
      const ended = await runner.abortWhenReady(line);
      const [pid = 0] = pidsIn(join(folder, "pids"));
      assert.equal(ended.containment, "pgroup");
      assert.ok(isRunning(pid), "it is seen now: SAFETY.md and this name can be corrected");
      process.kill(pid, "SIGKILL");
    },
  );

  test("[R54, X2] a process that obeys TERM is not killed, and its children end with it", async () => {
    const ended = await runner.abortWhenReady("sleep 3600 & echo '{}'; sleep 3600");
    assert.equal(ended.how, "aborted");
    assert.equal(ended.signal, "SIGTERM");
    assert.ok(ended.ms < 600_000, "its child sleeps an hour");
  });

  test("[R54] a process gets to clean up after TERM", async () => {
    const ended = await runner.abortWhenReady("trap 'echo cleaned; exit 0' TERM; echo '{}'; sleep 60 & wait");
    assert.match(ended.stdout, /cleaned/);
    assert.equal(ended.how, "aborted");
  });

  test("[F6, R54] a process that ignores TERM is killed 2 s later, and has settled then", async () => {
    const ended = await runner.abortWhenReady("trap '' TERM; echo '{}'; while :; do sleep 60; done");
    assert.equal(ended.signal, "SIGKILL");
    assert.ok(ended.ms >= 1900, `${ended.ms} ms`);
  });

  test("[F2] a process that stopped itself is woken to obey", async () => {
    const ended = await runner.abortWhenReady("echo '{}'; kill -STOP $$; sleep 60");
    assert.equal(ended.signal, "SIGTERM");
  });

  test(
    "[F3, X2, R54] a child that keeps the pipe does not keep the run: it is ended and counted",
    linux,
    async (context) => {
      const folder = temporaryFolder(context);
      const ended = await runner.line(`${sleeper(folder)} & ${untilPid(folder)}; exit 0`);
      assert.equal(ended.how, "exit");
      assert.equal(ended.code, 0);
      assert.equal(ended.leftovers, 1);
      assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
    },
  );

  test("[F3] a child that closed the pipe and stayed in the group is ended as well", linux, async (context) => {
    const folder = temporaryFolder(context);
    const ended = await runner.line(`${sleeper(folder)} </dev/null >/dev/null 2>&1 & ${untilPid(folder)}; exit 0`);
    assert.equal(ended.leftovers, 1);
    assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
  });

  test("[F3] children may stay where that is allowed", linux, async (context) => {
    const folder = temporaryFolder(context);
    const ended = await runner.line(`${sleeper(folder)} & ${untilPid(folder)}`, { leftovers: "keep" });
    const [pid = 0] = pidsIn(join(folder, "pids"));
    assert.equal(ended.leftovers, undefined);
    assert.ok(isRunning(pid));
    process.kill(pid, "SIGKILL");
  });

  test("[R54] a child that is about to finish is waited for and loses nothing", async () => {
    const run = () => runner.line("(sleep 0.03; echo late) & exit 0");
    let ended = await run();
    // On a busy machine a child of 30 ms may take longer than the drain.
    const isLate = () => ended.stdout === "" || ended.leftovers !== undefined;
    for (let tries = 1; isLate() && tries < 50; tries++) ended = await run();
    assert.equal(ended.stdout, "late\n");
    assert.equal(ended.leftovers, undefined);
  });

  test("[F4] a run inside a run is ended with the outer one", linux, async (context: TestContext) => {
    const folder = temporaryFolder(context);
    const inner = `HOOKLINE_RUN_COOKIE="$HOOKLINE_RUN_COOKIE:inner" setsid ${sleeper(folder)} </dev/null >/dev/null 2>&1`;
    const ended = await runner.abortWhenReady(`(${inner} &)\n${untilPid(folder)}; sleep 60`, {
      environment: { HOOKLINE_RUN_COOKIE: "outermost" },
    });
    assert.equal(ended.survivors, 0);
    assert.deepEqual(pidsIn(join(folder, "pids")).filter(isRunning), []);
  });

  test(
    "[R14, F4] a process with the tag is ended by it alone, and a process with another tag continues",
    linux,
    async (context) => {
      const folder = temporaryFolder(context);
      const stop = new AbortController();
      const begin = async (mark: string): Promise<{ pid: number; ended: Promise<unknown> }> => {
        const ready = Promise.withResolvers<number>();
        const line = {
          program: "/bin/sh",
          args: ["-c", 'echo "{\\"pid\\":$$}"; exec sleep 60'],
          cwd: folder,
          input: "",
        };
        const detaches = (said: string): boolean => {
          ready.resolve(JSON.parse(said).pid);
          return false;
        };
        const ended = runner.spawn({ ...line, environment: { PATH }, mark }, { signal: stop.signal, detaches });
        return { pid: await ready.promise, ended };
      };
      const [one, other] = [await begin("run-1-of-a"), await begin("run-10-of-a")];
      assert.equal(await endTagged("run-1-of-a"), true);
      assert.deepEqual([isRunning(one.pid), isRunning(other.pid)], [false, true]);
      stop.abort();
      await Promise.all([one.ended, other.ended]);
    },
  );
});
