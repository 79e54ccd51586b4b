/** Durable runs that several real workers share: killed, frozen, competing, and without their database for a while. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Item } from "../../src/engine/ports.ts";
import { workerOf } from "../../src/engine/queue.ts";
import type { Run } from "../../src/engine/record.ts";
import type { SharedWork } from "../../src/engine/shared-work.ts";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import { bundled } from "../program.ts";
import { beginnings, logged, startSaying, type Worker, whenLogged } from "../runtime/queues/start-worker.ts";
import { durableHook, itemOf, marking } from "../runtime/queues/world.ts";
import { database, type Prepared, writer } from "./prepared.ts";
import type { SharedWorkerOptions } from "./shared-worker.ts";
import { startShared } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared({ settings: ["max_connections = 100"] });
});
after(() => cluster.close());

const program = fileURLToPath(new URL("./shared-worker.ts", import.meta.url));

interface Place {
  folder: string;
  work: SharedWork;
  add(...items: Item[]): Promise<void>;
  start(id: string, options?: Partial<SharedWorkerOptions>): Promise<Worker>;
  /** Steps that wait for this file go on. */
  open(name: string): void;
  /** Waits until none of the runs waits or runs. */
  over(...runs: string[]): Promise<Run[]>;
}

function placeFor(context: TestContext): Place {
  cluster.empty();
  const folder = mkdtempSync(join(tmpdir(), "hookline-shared-"));
  const connection = openConnection({ url: cluster.store });
  const work = createSharedWork({ connection });
  const workers: Worker[] = [];
  const added = new Map<string, Run>();
  context.after(async () => {
    for (const { child } of workers) child.kill("SIGCONT");
    await Promise.all(workers.map((worker) => worker.kill()));
    await connection.close();
    rmSync(folder, { recursive: true });
  });
  return {
    folder,
    work,
    async add(...items) {
      for (const item of items) {
        assert.equal((await work.add(item)).is, "queued");
        added.set(item.run.id, item.run);
      }
    },
    async start(id, options) {
      const worker = await startSaying(bundled(program), [
        folder,
        JSON.stringify({ url: cluster.store, id, lease: 2, ...options }),
      ]);
      workers.push(worker);
      return worker;
    },
    open: (name) => writeFileSync(join(folder, name), ""),
    async over(...names) {
      const runs = names.map((name) => added.get(name) ?? assert.fail(name));
      for (;;) {
        const left = await work.left(runs).catch(() => new Map<string, undefined>()); // the server may be away
        const rows = new Map([...left].flatMap(([id, run]) => (run ? [[id, run]] : [])));
        if (rows.size === runs.length) return names.map((name) => rows.get(name) ?? assert.fail(name));
        await pause(50);
      }
    },
  };
}

const isLong = process.env.HOOKLINE_TEST_LONG === "1";

/** Where none dies: a machine that stands still for a while makes no worker a dead one. */
const patient = { lease: 600 };

const threeSteps = [marking("a"), marking("b", { until: "go" }), marking("c")];
/** What is left of runs in the tables of the queue. */
const leftovers = (): string =>
  cluster.sql(
    "select (select count(*) from hookline.work), (select count(*) from hookline.work_part), (select count(*) from hookline.work_place where run is not null)",
    database,
  );

test("[AT49, R56] a run whose worker is killed in a step continues in another: what had ended is not repeated", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  const first = await place.start("one");
  await whenLogged(folder, "begin", "r1", "b");
  const second = await place.start("two");
  await first.kill();
  await second.says(({ begun }) => begun === "r1");
  place.open("go");
  const [run] = await place.over("r1");
  assert.equal(run?.status, "completed");
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 2, "r1 c": 1 });
  assert.deepEqual(
    run?.steps.map(({ ok, output }) => [ok, output]),
    ["a", "b", "c"].map((word) => [true, { word }]),
  );
  assert.deepEqual(run?.notes, [
    "begun again, as the process that ran it ended before the run did (1 of at most 2 times)",
  ]);
  assert.equal(leftovers(), "0|0|0");
});

test("[R56] a worker that comes back under its name takes its own runs up", async (context) => {
  const place = placeFor(context);
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  const first = await place.start("one");
  await whenLogged(place.folder, "begin", "r1", "b");
  await first.kill();
  const again = await place.start("one");
  await again.says(({ begun }) => begun === "r1");
  place.open("go");
  const [run] = await place.over("r1");
  assert.equal(run?.status, "completed");
  assert.deepEqual(beginnings(place.folder), { "r1 a": 1, "r1 b": 2, "r1 c": 1 });
});

test("[R56] workers that a server left for longer than a lease keep their runs when it is back", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  const workers = [await place.start("one", { lease: 4 }), await place.start("two", { lease: 4 })];
  await whenLogged(folder, "begin", "r1", "b");
  await cluster.stop({ immediate: true });
  await pause(6_000);
  await cluster.start();
  const seen = "select min(extract(epoch from clock_timestamp() - seen)) < 2 from hookline.worker having count(*) = 2";
  while (cluster.sql(seen, database) !== "t") await pause(50);
  await pause(6_000); // as long as the other takes to find that one is dead
  place.open("go");
  const [run] = await place.over("r1");
  assert.deepEqual([run?.status, run?.notes], ["completed", []]);
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 1, "r1 c": 1 });
  for (const { child } of workers) child.kill("SIGTERM");
});

test("[R56] a worker that was frozen while another took its run keeps nothing, and does nothing more of it", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  const frozen = await place.start("one");
  await whenLogged(folder, "begin", "r1", "b");
  frozen.child.kill("SIGSTOP");
  const other = await place.start("two");
  await other.says(({ begun }) => begun === "r1");
  place.open("go");
  const [run] = await place.over("r1");
  frozen.child.kill("SIGCONT");
  assert.equal((await frozen.says(({ performed }) => performed === "r1")).lost, true);
  assert.equal((await other.says(({ performed }) => performed === "r1")).lost, false);
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 2, "r1 c": 1 });
  assert.deepEqual(await place.over("r1"), [run], "the row stays as the other has written it");
  assert.equal(run && workerOf(run), "two");
  await place.add(itemOf(durableHook("h", [marking("a")]), "r2"));
  await place.over("r2");
});

test("[R56] the third recovery of a run that ends every process that begins it ends it as interrupted", async (context) => {
  const place = placeFor(context);
  await place.add(itemOf(durableHook("h", [marking("a"), marking("b", { dies: true })]), "r1"));
  for (const id of ["one", "two", "three"]) await (await place.start(id, { lease: 1 })).ended;
  await place.add(itemOf(durableHook("other", [marking("a")]), "r2"));
  await place.start("four", { lease: 1 });
  const [run, other] = await place.over("r1", "r2");
  assert.deepEqual(
    [run?.status, run?.reason, other?.status],
    ["interrupted", "the process that ran it ended before the run did, 3 times", "completed"],
  );
  assert.deepEqual(beginnings(place.folder), { "r1 a": 1, "r1 b": 3, "r2 a": 1 });
  assert.equal(leftovers(), "0|0|0");
});

test("[A50, R56] a worker that is asked to stop gives its run back after a while, and the next one continues it", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  const first = await place.start("one", { patience: 1, saysWithin: 600 });
  await whenLogged(folder, "begin", "r1", "b");
  await first.kill("SIGTERM");
  place.open("go");
  await place.start("two");
  const [run] = await place.over("r1");
  assert.deepEqual([run?.status, run?.notes], ["completed", []], "a stop counts as no recovery");
  assert.deepEqual(beginnings(folder), { "r1 a": 1, "r1 b": 2, "r1 c": 1 });
});

test("[A50] a worker that is asked to stop lets a run end that does so in time, and begins no other", async (context) => {
  const place = placeFor(context);
  const hook = durableHook("h", [marking("a", { until: "go" })]);
  await place.add(itemOf(hook, "r1"), itemOf(hook, "r2"));
  const worker = await place.start("one", { patience: 60 });
  await whenLogged(place.folder, "begin", "r1", "a");
  worker.child.kill("SIGTERM");
  place.open("go");
  await worker.ended;
  assert.equal((await place.over("r1"))[0]?.status, "completed");
  assert.deepEqual(await place.work.counts(), { waiting: 1, running: 0, stranded: 0, workers: 0 });
});

test("[A23, AT26] four workers together perform as many runs at once as the cap says, and one of each hook", async (context) => {
  const place = placeFor(context);
  const { folder } = place;
  await Promise.all(["one", "two", "three", "four"].map((id) => place.start(id, patient)));
  const runs: string[] = [];
  for (let number = 1; number <= 6; number++)
    for (const name of ["p", "q", "r"]) {
      runs.push(`${name}${number}`);
      await place.add(itemOf(durableHook(name, [marking("a", { takes: 30 })]), `${name}${number}`));
    }
  const rows = await place.over(...runs);
  assert.ok(rows.every(({ status }) => status === "completed"));
  const now = new Set<string>();
  for (const [what, run = ""] of logged(folder)) {
    if (what === "end") now.delete(run);
    else now.add(run);
    assert.ok(now.size <= 2, `at once: ${[...now]}`);
    const hooks = [...now].map(([hook]) => hook);
    assert.equal(new Set(hooks).size, hooks.length, `two runs of one hook at once: ${[...now]}`);
  }
  for (const name of ["p", "q", "r"])
    assert.deepEqual(
      logged(folder)
        .filter(([what, run]) => what === "begin" && run?.startsWith(name))
        .map(([, run]) => run),
      [1, 2, 3, 4, 5, 6].map((number) => `${name}${number}`),
    );
});

test("[R56] a run that is cancelled elsewhere is stopped in the middle of its step, and its row says why", async (context) => {
  const place = placeFor(context);
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  await place.start("one", patient);
  await whenLogged(place.folder, "begin", "r1", "b");
  await place.work.cancel("r1");
  const [run] = await place.over("r1");
  assert.deepEqual([run?.status, run?.reason], ["cancelled", "cancelled"]);
  assert.deepEqual(beginnings(place.folder), { "r1 a": 1, "r1 b": 1 });
  assert.ok(logged(place.folder).some(([what, , step]) => what === "stopped" && step === "b"));
});

test("[R21] what limits a hook is claimed once for all machines, however often a run is begun", async (context) => {
  const place = placeFor(context);
  const hook = durableHook("h", [marking("a", { until: "go" })], { cooldown: 3600 });
  await place.add(itemOf(hook, "r1"), itemOf(hook, "r2"));
  const first = await place.start("one");
  await whenLogged(place.folder, "begin", "r1", "a");
  await first.kill();
  place.open("go");
  await place.start("two");
  const [run, refused] = await place.over("r1", "r2");
  assert.equal(run?.status, "completed");
  assert.equal(refused?.status, "skipped");
  assert.match(refused?.reason ?? "", /^cooldown/);
});

test("[SAFETY F19] Postgres is restarted at once in the middle of runs: all end, and no step that had ended is repeated", async (context) => {
  const place = placeFor(context);
  const steps = [marking("a"), marking("b", { until: "go" }), marking("c")];
  await place.add(...["p", "q"].map((name) => itemOf(durableHook(name, steps), `${name}1`)));
  await Promise.all([place.start("one"), place.start("two")]);
  await whenLogged(place.folder, "begin", "p1", "b");
  await whenLogged(place.folder, "begin", "q1", "b");
  await cluster.restart({ immediate: true });
  place.open("go");
  const rows = await place.over("p1", "q1");
  assert.deepEqual(
    rows.map(({ status }) => status),
    ["completed", "completed"],
  );
  const begun = beginnings(place.folder);
  for (const run of ["p1", "q1"]) assert.deepEqual([begun[`${run} a`], begun[`${run} c`]], [1, 1]);
});

test("[SAFETY F23] a server that has no place for another connection is waited for", async (context) => {
  const place = placeFor(context);
  const names = Array.from({ length: 6 }, (_none, index) => `r${index}`);
  await place.add(...names.map((name) => itemOf(durableHook(`h${name}`, [marking("a", { until: "go" })]), name)));
  await Promise.all([place.start("one"), place.start("two")]);
  await whenLogged(place.folder, "begin", "r0", "a");
  cluster.sql(`alter role ${writer} connection limit 10;
    select pg_terminate_backend(pid) from pg_stat_activity where usename = '${writer}'`);
  try {
    place.open("go");
    const rows = await place.over(...names);
    assert.ok(rows.every(({ status }) => status === "completed"));
  } finally {
    cluster.sql(`alter role ${writer} connection limit -1`);
  }
});

test("a run that has ended is not begun again where its machine hands it over once more, as after a restart", async (context) => {
  const place = placeFor(context);
  const item = itemOf(durableHook("h", [marking("a")]), "r1");
  await place.add(item);
  const worker = await place.start("one", patient);
  const [before] = await place.over("r1");
  assert.deepEqual(await place.work.add(item), { is: "queued", ended: [] });
  await place.add(itemOf(durableHook("h", [marking("a")]), "r2"));
  const [again, next] = await place.over("r1", "r2");
  assert.deepEqual([again, next?.status], [before, "completed"]);
  assert.deepEqual(beginnings(place.folder), { "r1 a": 1, "r2 a": 1 });
  await worker.kill();
});

test("a run of a project waits for a worker that has the project's folder, also where the one that had it has died", async (context) => {
  const place = placeFor(context);
  const root = join(place.folder, "project");
  const hook = durableHook("h", [marking("a"), marking("b", { until: "go" })]);
  const of = (id: string) => itemOf({ ...hook, origin: { ...hook.origin, root } }, id);
  await place.add(of("r1"), itemOf(durableHook("other", [marking("a")]), "r2"));
  const first = await place.start("one");
  await place.over("r2");
  assert.deepEqual(beginnings(place.folder), { "r2 a": 1 }, "the folder is on no machine yet");
  mkdirSync(root);
  await whenLogged(place.folder, "begin", "r1", "b");
  await first.kill();
  rmSync(root, { recursive: true });
  await place.start("two");
  await place.add(itemOf(durableHook("another", [marking("a")]), "r3"));
  await place.over("r3");
  mkdirSync(root);
  place.open("go");
  assert.equal((await place.over("r1"))[0]?.status, "completed");
  assert.equal(beginnings(place.folder)["r1 a"], 1);
});

test("workers of another run schema leave a run to those of its own, who drain it", async (context) => {
  const place = placeFor(context);
  await place.add(itemOf(durableHook("h", [marking("a", { until: "go" })]), "r1"));
  const old = await place.start("one");
  await whenLogged(place.folder, "begin", "r1", "a");
  await place.add(itemOf(durableHook("other", [marking("a")]), "r2"));
  await place.over("r2");
  const next = createSharedWork({ connection: openConnection({ url: cluster.store, connections: 1 }) }, 2);
  await place.start("two", { version: 2 });
  await next.add(itemOf(durableHook("new", [marking("a")]), "r3"));
  await whenLogged(place.folder, "end", "r3", "a");
  await old.kill("SIGKILL");
  await next.add(itemOf(durableHook("newer", [marking("a")]), "r4"));
  await whenLogged(place.folder, "end", "r4", "a");
  assert.equal((await next.counts()).stranded, 1);
  place.open("go");
  await place.start("three");
  assert.equal((await place.over("r1"))[0]?.status, "completed");
});

/** Of steps that were begun again: those that had not ended, those that ended twice, and those behind which another had begun. */
function repeated(log: readonly string[][], order: readonly string[]) {
  const [begun, ended, last] = [new Set<string>(), new Set<string>(), new Map<string, number>()];
  let [cutOff, doubled] = [0, 0];
  const finished: string[] = [];
  for (const [what, run = "", step = ""] of log) {
    const [key, at] = [`${run} ${step}`, order.indexOf(step)];
    if (what === "end") {
      if (ended.has(key)) doubled += 1;
      ended.add(key);
    } else if (what === "begin") {
      if (begun.has(key) && !ended.has(key)) cutOff += 1;
      if (at < (last.get(run) ?? 0)) finished.push(key);
      begun.add(key);
      last.set(run, Math.max(at, last.get(run) ?? 0));
    }
  }
  return { cutOff, doubled, finished };
}

test("[SAFETY G15] over kills of workers and restarts of Postgres no run is lost, and each kill repeats at most the steps that it cut off", {
  timeout: 900_000,
}, async (context) => {
  const place = placeFor(context);
  const kills = isLong ? 100 : 4;
  const names = ["one", "two"];
  const workers = new Map<string, Worker>();
  for (const name of names) workers.set(name, await place.start(name));
  const words = ["a", "b", "c", "d"];
  const runs: string[] = [];
  for (let round = 0; round < kills; round++) {
    for (const hook of ["p", "q", "r"]) {
      const id = `${hook}${round}`;
      const steps = words.map((word) => marking(word, { takes: 30 }));
      await place.add(itemOf(durableHook(hook, steps), id));
      runs.push(id);
    }
    const name = names[round % 2] ?? "one";
    if (round % 2 === 1) await cluster.restart({ immediate: true }); // half as often as a worker is killed
    await pause(Math.random() * 300);
    await workers.get(name)?.kill();
    workers.set(name, await place.start(name));
  }
  const rows = await place.over(...runs);
  const lost = rows.filter(({ status }) => status !== "completed" && status !== "interrupted");
  const { cutOff, doubled, finished } = repeated(logged(place.folder), words);
  context.diagnostic(
    `${kills} kills, ${runs.length} runs: ${cutOff} steps cut off and begun again, ${doubled} done twice`,
  );
  assert.deepEqual(lost, []);
  assert.deepEqual(finished, [], "steps that were begun again though a later one had begun");
  assert.ok(doubled <= kills, `${doubled} steps were done twice`);
  assert.equal(leftovers(), "0|0|0");
});

test("a run that is in its worker's name and that this worker does not perform is begun again", async (context) => {
  const place = placeFor(context);
  await place.add(itemOf(durableHook("h", threeSteps), "r1"));
  await place.start("one");
  await whenLogged(place.folder, "begin", "r1", "b");
  cluster.sql("update hookline.work set token = 'of another process' where run = 'r1'", database);
  await whenLogged(place.folder, "stopped", "r1", "b");
  place.open("go");
  assert.equal((await place.over("r1"))[0]?.status, "completed");
});
