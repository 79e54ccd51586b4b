/** status.json, the marker and the logs of scripts: what stands there, where, and what becomes of broken ones. */
import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Paused, Run } from "../../../src/engine/record.ts";
import { openMemoryStore } from "../../../src/storage/memory/memory.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { type ScriptWorld, scriptWorld } from "./script-world.ts";

const changed = { session: "s1", data: { changed_files: ["a.go"] } };
const isDate = (text: string): boolean => new Date(text).toISOString() === text;

test("[E52, E53, ET12] after a run the status has exactly the specified names", async (t) => {
  const world = scriptWorld(t, [{ file: ".hookline/hooks/go-fmt.sh", name: "Go format", does: "exit 3" }]);
  await world.emit("Stop", changed);
  const status = world.status();
  const { lastRunAt, ...rest } = status.hooks["go-fmt"] ?? assert.fail("no status");
  assert.deepEqual(Object.keys(status), ["hooks", "pendingHooks", "lastEvaluatedAt"]);
  assert.deepEqual(rest, {
    hookId: "go-fmt",
    hookName: "Go format",
    type: "file",
    lastResult: "failure",
    lastExitCode: 3,
    outputPath: join(world.folder(), "output", "go-fmt.log"),
    runCount: 1,
    failCount: 1,
    consecutiveFailures: 1,
  });
  assert.ok(isDate(lastRunAt) && isDate(status.lastEvaluatedAt));
  assert.deepEqual(status.pendingHooks, ["go-fmt"]);
});

test("[E53] runs, failures and failures in a row are counted over the session", async (t) => {
  const world = scriptWorld(t, [{ does: "exit $(cat code)" }]);
  const counts = async (code: number): Promise<(number | string | undefined)[]> => {
    writeFileSync(join(world.root, "code"), String(code));
    await world.emit("Stop", changed);
    const one = world.status().hooks["0-script"];
    return [one?.runCount, one?.failCount, one?.consecutiveFailures, one?.lastResult, one?.lastExitCode];
  };
  assert.deepEqual(await counts(1), [1, 1, 1, "failure", 1]);
  assert.deepEqual(await counts(2), [2, 2, 2, "failure", 2]);
  assert.deepEqual(await counts(0), [3, 2, 0, "success", 0]);
  assert.deepEqual(await counts(5), [4, 3, 1, "failure", 5]);
  await world.emit("Stop", { ...changed, session: "s2" });
  assert.equal(world.status("s2").hooks["0-script"]?.runCount, 1, "each session counts for itself");
});

test("[ET11] what is pending: added once, kept in the order of the scripts, removed by its name", async (t) => {
  const world = scriptWorld(t, [
    { file: ".hookline/hooks/a.sh", does: "exit $(cat a)" },
    { file: ".hookline/hooks/b.sh", does: "exit $(cat b)" },
    { file: ".hookline/hooks/c.sh", does: "exit 1", pattern: "*.ts" },
  ]);
  const pendingAfter = async (files: string[], codes: { a: number; b: number }): Promise<string[]> => {
    for (const [name, code] of Object.entries(codes)) writeFileSync(join(world.root, name), String(code));
    await world.emit("Stop", { data: { changed_files: files } });
    return world.status().pendingHooks;
  };
  assert.deepEqual(await pendingAfter(["x.go"], { a: 1, b: 1 }), ["a", "b"]);
  assert.deepEqual(await pendingAfter(["x.go", "x.ts"], { a: 1, b: 1 }), ["a", "b", "c"]);
  await world.store.checkPassed("s1", world.hooks[1]?.id ?? "");
  await world.store.checkPassed("s1", "script:unknown");
  assert.deepEqual(await pendingAfter([], { a: 1, b: 1 }), ["a", "c"]);
});

test("[E54, ET11] a missing, broken or old status is made anew from the store, whatever stood there", async (t) => {
  const world = scriptWorld(t, [{ does: "exit 1" }]);
  await world.emit("Stop", changed);
  const path = join(world.folder(), "status.json");
  for (const [index, broken] of ["{half", "", '{"hooks":{}}', "[]"].entries()) {
    writeFileSync(path, broken);
    await world.emit("Stop", changed);
    assert.deepEqual(
      [world.status().hooks["0-script"]?.runCount, world.status().pendingHooks],
      [index + 2, ["0-script"]],
    );
  }
  rmSync(world.folder(), { recursive: true });
  await world.emit("Stop", changed);
  assert.equal(world.status().hooks["0-script"]?.runCount, 6);
});

test("[E24, E28, E52] the marker moves at each evaluation, also where nothing matched, and the status has its time", async (t) => {
  const world = scriptWorld(t, [{ does: "true" }, { type: "session", does: "true" }]);
  const marker = join(world.folder(), ".last-eval");
  await world.emit("SessionStart", { data: { source: "startup" } });
  assert.equal(existsSync(marker), false, "a session script is no evaluation");
  assert.ok(isDate(world.status().lastEvaluatedAt));
  await world.emit("Stop", { data: { changed_files: [] } });
  const first = statSync(marker).mtimeMs;
  assert.equal(world.status().lastEvaluatedAt, new Date(first).toISOString());
  await world.emit("Stop", changed);
  assert.ok(statSync(marker).mtimeMs > first);
  assert.equal(world.status().lastEvaluatedAt, new Date(statSync(marker).mtimeMs).toISOString());
  const before = readFileSync(join(world.folder(), "status.json"), "utf8");
  await world.emit("PreToolUse", { data: { tool_name: "Bash", tool_input: {} } });
  assert.equal(readFileSync(join(world.folder(), "status.json"), "utf8"), before, "other events write nothing");
});

test("[R68, E52] files of .discobot scripts are where that product's tools look, each family with its own status", async (t) => {
  const world = scriptWorld(t, [
    { file: ".discobot/hooks/lint.sh", does: "echo theirs; exit 1" },
    { file: ".hookline/hooks/lint.sh", does: "echo ours; exit 1", pattern: "*.ts" },
  ]);
  const [, own] = world.hooks;
  assert.ok(own);
  own.id = "script:own";
  await world.emit("Stop", { data: { changed_files: ["a.go"] } });
  const theirs = join(world.home, ".discobot/s1/hooks");
  assert.equal(readFileSync(join(theirs, "output/lint.log"), "utf8"), "theirs\n");
  assert.deepEqual(JSON.parse(readFileSync(join(theirs, "status.json"), "utf8")).pendingHooks, ["lint"]);
  assert.deepEqual(world.status().pendingHooks, []);
  assert.ok(existsSync(join(theirs, ".last-eval")) && existsSync(join(world.folder(), ".last-eval")));
});

test("[R68] a session whose id is no plain name gets a folder named by its hash, below the same one", async (t) => {
  const world = scriptWorld(t, [{ file: ".discobot/hooks/x.sh", does: "true" }]);
  for (const session of ["../../escape", "..", "a/b", "x".repeat(65), "größe"])
    await world.emit("Stop", { ...changed, session });
  const made = readdirSync(join(world.home, ".discobot"));
  assert.equal(made.length, 5);
  for (const name of made) assert.match(name, /^session-[0-9a-f]{32}$/);
  await world.emit("Stop", { ...changed, session: "A.b-c_9" });
  assert.ok(existsSync(join(world.home, ".discobot/A.b-c_9/hooks/output/x.log")));
});

test("[R68] without a session the workspace has a folder, and only its own runs count there", async (t) => {
  const world = scriptWorld(t, [{ type: "pre-commit", does: "exit 1", layer: "user" }]);
  const [one, other] = [join(world.root, "one"), join(world.root, "other")];
  for (const cwd of [one, one, other]) {
    mkdirSync(cwd, { recursive: true });
    await world.emit("git.pre-commit", { session: undefined, cwd, data: { changed_files: [] } });
  }
  const sessions = join(world.state, "sessions");
  const counts = readdirSync(sessions).map((name) => {
    assert.match(name, /^workspace-[0-9a-f]{32}$/);
    const status = JSON.parse(readFileSync(join(sessions, name, "hooks/status.json"), "utf8"));
    return status.hooks["0-script"].runCount;
  });
  assert.deepEqual(counts.sort(), [1, 2]);
});

test("[ET8] the log's folder is made, and only its owner can read it", async (t) => {
  const world = scriptWorld(t, [{ does: "echo hello" }]);
  await world.emit("Stop", changed);
  assert.equal(world.log("0-script"), "hello\n");
  for (const path of ["", "output"]) assert.equal(statSync(join(world.folder(), path)).mode & 0o777, 0o700);
  for (const path of ["status.json", "output/0-script.log"])
    assert.equal(statSync(join(world.folder(), path)).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(world.folder()).sort(),
    [".last-eval", "output", "status.json"],
    "nothing is left beside",
  );
});

test("a planted link is replaced or refused, never followed", async (t) => {
  const world = scriptWorld(t, [{ does: "echo mine; exit 1", with: { notify: false } }]);
  const victim = join(world.root, "victim");
  writeFileSync(victim, "precious");
  mkdirSync(join(world.folder(), "output"), { recursive: true });
  for (const name of ["status.json", ".last-eval", "output/0-script.log"])
    symlinkSync(victim, join(world.folder(), name));
  await world.emit("Stop", changed);
  assert.equal(readFileSync(victim, "utf8"), "precious");
  assert.equal(world.log("0-script"), "mine\n");
  assert.ok(lstatSync(join(world.folder(), "status.json")).isFile());
  const elsewhere = join(world.root, "elsewhere");
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(world.state, "sessions", "s2"));
  await world.emit("Stop", { ...changed, session: "s2" });
  assert.deepEqual(readdirSync(elsewhere), []);
  const run = (await world.store.runs({ session: "s2" }))[0];
  assert.match(run?.notes.join() ?? "", /its output could not be kept in a file: it is a symbolic link .*s2/);
});

test("what cannot be written is reported once, and the scripts run all the same", async (t) => {
  const world = scriptWorld(t, [{ does: "exit 1" }]);
  writeFileSync(join(world.home, ".local"), "a file where a folder should be");
  for (const _ of [1, 2]) assert.match((await world.emit("Stop", changed)).verdict?.reason ?? "", /Hook Failed/);
  const told = world.logs.filter(({ message }) => message.startsWith("the status of scripts cannot be written"));
  assert.equal(told.length, 1);
});

test("a message about large output that could not be saved holds its beginning and its end", async (t) => {
  const world = scriptWorld(t, [{ does: "seq 5000; exit 1" }]);
  writeFileSync(join(world.home, ".local"), "a file where a folder should be");
  const reason = (await world.emit("Stop", changed)).verdict?.reason ?? "";
  assert.match(reason, /Output is large \(5000 lines\)\. It could not be saved; its beginning and its end:\n1\n2\n/);
  assert.match(reason, /\n5000\n\nPlease address the issues and ensure the hook passes\. \(Attempt 1\/3\)$/);
  assert.ok(reason.length < 4_000);
});

test("two scripts that share a name share neither log nor status", async (t) => {
  const world = scriptWorld(t, [
    { file: ".hookline/hooks/lint.sh", does: "echo outer", type: "session" },
    { file: "packages/a/.hookline/hooks/lint.sh", does: "echo inner", type: "session" },
  ]);
  const [outer, inner] = world.hooks;
  assert.ok(outer && inner);
  inner.id = "script:lint@00000000";
  await world.emit("SessionStart", { data: { source: "startup" } });
  const [first, second = ""] = Object.keys(world.status().hooks);
  assert.equal(first, "lint");
  assert.match(second, /^lint-[0-9a-f]{8}$/);
  assert.deepEqual([world.log("lint"), world.log(second)], ["outer\n", "inner\n"]);
});

test("where nothing of outputs is recorded, the status has the exit codes all the same", async (t) => {
  const world = scriptWorld(
    t,
    [
      { does: "exit 9", with: { notify: false } },
      { does: "sleep 60", with: { limit: 0.2, notify: false } },
      { does: "#!/no/such\n", with: { notify: false } },
      { does: "true" },
    ],
    { recording: "none" },
  );
  for (const hook of world.hooks) hook.limits = { overlap: "queue" };
  await world.emit("Stop", changed);
  const codes = Object.values(world.status().hooks).map(({ lastExitCode }) => lastExitCode);
  assert.deepEqual(codes, [9, 124, 127, 0]);
});

/** As a process leaves the store that dies while a script runs. */
function diesDuring(world: ScriptWorld, hook: number, eventName: string): Run {
  const run: Run = {
    id: `dead-${hook}`,
    hook: world.hooks[hook]?.id ?? assert.fail(),
    hookName: "dead",
    eventId: "dead-event",
    eventName,
    session: "s1",
    status: "running",
    cause: `event:${eventName}`,
    startedAt: Date.now(),
    steps: [],
    notes: [],
    asked: 1,
    owner: "999999999:1",
  };
  world.store.saveRun(run);
  return run;
}

test("[ET17] after a restart, a file script that was running is pending once, and counters are as before", async (t) => {
  const world = scriptWorld(t, [{ does: "exit 4" }, { type: "pre-commit", does: "exit 5" }]);
  await world.emit("Stop", changed);
  await world.emit("git.pre-commit", { data: { changed_files: ["a.go"] } });
  const before = world.status();
  const untouched = await world.runs();
  assert.equal(await world.store.repair(() => false, Date.now()), 0, "nothing was running");
  assert.deepEqual(await world.runs(), untouched);
  diesDuring(world, 0, "Stop");
  diesDuring(world, 1, "git.pre-commit");
  for (const expected of [2, 0]) {
    assert.equal(await world.store.repair(() => false, Date.now()), expected);
    await world.emit("SessionStart", { data: { source: "resume" } });
    await world.emit("Stop", { to: { hook: "script:none" } });
    const after = world.status();
    assert.deepEqual(after.pendingHooks, ["0-script"], "the file script once, the pre-commit script never");
    assert.deepEqual(after.hooks, before.hooks);
  }
  await world.emit("Stop");
  assert.equal(world.status().hooks["0-script"]?.runCount, 2, "it runs again");
});

test("a store without transactions is served as well", async (t) => {
  const world = scriptWorld(t, [{ does: "exit 1" }], { store: openMemoryStore() });
  await world.emit("Stop", changed);
  assert.deepEqual([world.status().hooks["0-script"]?.runCount, world.status().pendingHooks], [1, ["0-script"]]);
});

test("a store that answers later is served in turn", async (t) => {
  const memory = openMemoryStore();
  const world = scriptWorld(
    t,
    [
      { does: "exit 1", with: { notify: false } },
      { does: "exit 2", with: { notify: false } },
    ],
    {
      store: {
        ...memory,
        runs: async (filter) => memory.runs(filter),
        pendingChecks: async (session, added) => memory.pendingChecks(session, added),
      },
    },
  );
  for (const hook of world.hooks) hook.limits = { overlap: "queue" };
  await world.emit("Stop", changed);
  await world.emit("Stop", changed);
  await settled(() => world.status().hooks["1-script"]?.runCount === 2);
  assert.deepEqual(
    Object.values(world.status().hooks).map(({ runCount }) => runCount),
    [2, 2],
  );
});

async function settled(holds: () => boolean): Promise<void> {
  while (!holds())
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

test("a store with the degraded mode still makes one transaction of it", async (t) => {
  const { withDegradedMode } = await import("../../../src/storage/degraded.ts");
  const world = scriptWorld(t, []);
  const path = join(world.root, "fallback.db");
  const store = withDegradedMode(() => openSqliteStore({ path }), { ring: 0, complain: assert.fail });
  t.after(() => store.close());
  const other = openSqliteStore({ path });
  t.after(() => other.close());
  store.batch?.(() => {
    store.pause("inside", 0);
    assert.deepEqual([...(other.paused() as Paused).keys()], [], "others see nothing of it before its end"); // SQLite answers at once
  });
  assert.deepEqual([...(other.paused() as Paused).keys()], ["inside"]); // as above
});
