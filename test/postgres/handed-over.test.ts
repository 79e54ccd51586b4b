/** What a daemon hands over to the machines that share its Postgres, as people start them. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { followHandedOver } from "../../src/runtime/queues/shared/following.ts";
import { after as systemAfter } from "../../src/runtime/system.ts";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import { createHandedOver } from "../../src/storage/sqlite/handed-over.ts";
import { durableHook, itemOf, marking, placeFor } from "../runtime/queues/world.ts";
import { type Machine, makeMachine } from "./machine.ts";
import { database, type Prepared } from "./prepared.ts";
import { addShared, startShared } from "./shared-world.ts";
import { startWorker } from "./start-command.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared();
});
after(() => cluster.close());

async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(50);
}

interface Listed {
  id: string;
  hook: string;
  status: string;
  reason: string | null;
}

/** A machine whose automation writes a line, and ends once it may. */
interface Scene {
  machine: Machine;
  line: string;
  /** How many of its runs have begun. */
  begun(): number;
  /** Lets those that run end, and those to come. */
  open(): void;
  /** Those to come wait again. */
  shut(): void;
  /** How many runs the database has in its queue. */
  held(): number;
  /** The runs of its automations as the machine knows them, newest first. */
  own(): Listed[];
}

function sceneFor(context: TestContext): Scene {
  cluster.empty();
  const machine = makeMachine(context);
  const [began, go] = [join(machine.folder, "began"), join(machine.folder, "go")];
  return {
    machine,
    line: `echo ran >> ${began}; until [ -e ${go} ]; do sleep 0.05; done`,
    begun: () => (existsSync(began) ? readFileSync(began, "utf8").split("\n").length - 1 : 0),
    open: () => writeFileSync(go, ""),
    shut: () => rmSync(go),
    held: () => Number(cluster.sql("select count(*) from hookline.work", database)),
    own: () =>
      (JSON.parse(machine.run("runs", "--all", "--json").stdout) as Listed[]).filter(({ hook }) =>
        hook.startsWith("automation:"),
      ),
  };
}
const ends = (runs: readonly Listed[]): string[] =>
  runs.map(({ status, reason }) => (reason ? `${status}: ${reason}` : status)).sort();
const areOver = (runs: readonly Listed[]): boolean =>
  runs.every(({ status }) => status !== "queued" && status !== "running");

test("hookline up hands its automations over; while Postgres is gone they wait, and its guards go on", async (context) => {
  const { machine, line, begun, open, held, own } = sceneFor(context);
  machine.automate(line);
  open();
  const daemon = await machine.up("--store", cluster.store);
  assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1);
  await until(() => cluster.sql("select count(*) from hookline.run where status = 'completed'", database) === "1");
  await cluster.stop({ immediate: true });
  assert.match(machine.hook("rm -r x").stdout, /nothing is removed here/);
  assert.equal(await daemon.send("deploy.done"), 200);
  await cluster.start();
  await until(() => begun() === 2 && held() === 0);
  await until(() => ends(own()).join() === "completed,completed");
  const { worker } = JSON.parse(machine.run("status", "--json").stdout).daemon.sharing;
  assert.ok(worker);
  assert.match(machine.run("runs", "show", own()[0]?.id ?? "").stdout, new RegExp(`^worker +${worker}$`, "m"));
  await daemon.end();
});

test("what a machine has taken is performed by another one after its death, and ends in its own record, too", async (context) => {
  const { machine, line, begun, open, held, own } = sceneFor(context);
  machine.automate(line);
  const daemon = await machine.up("--store", cluster.store);
  for (let turn = 0; turn < 5; turn++) assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 5);
  assert.match(machine.run("status").stdout, /0 running, 0 waiting, 5 handed over/);
  await startWorker(context, makeMachine(context), { words: ["--store", cluster.store] });
  daemon.process.kill("SIGKILL");
  open();
  await until(() => held() === 0);
  assert.ok(begun() === 5 || begun() === 6, "the step that was cut off may have begun twice");
  assert.deepEqual(
    own().map(({ status }) => status),
    Array(5).fill("queued"),
  );
  assert.match(machine.run("status").stdout, /5 runs handed over to other machines/);
  const again = await machine.up("--store", cluster.store);
  await until(() => areOver(own()));
  assert.deepEqual(
    own().map(({ status }) => status),
    Array(5).fill("completed"),
  );
  await again.end();
});

test("a pause calls back what waits elsewhere, and its end hands it over again", async (context) => {
  const { machine, line, begun, open, held, own } = sceneFor(context);
  machine.automate(line);
  const daemon = await machine.up("--store", cluster.store);
  for (let turn = 0; turn < 3; turn++) assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 3);
  assert.equal(machine.run("pause").status, 0);
  await until(() => held() === 1);
  const waiting = own().find(({ status }) => status === "queued")?.id ?? "";
  const flag = ["--store", cluster.store];
  const other = makeMachine(context);
  await until(() => other.run("runs", "--all", "--json", ...flag).stdout.includes(waiting)); // a daemon brings its rows once a second
  assert.match(
    other.run("runs", "cancel", waiting, ...flag).stderr,
    /waits on the machine that took its event — cancel it there/,
  );
  open();
  await until(() => held() === 0);
  assert.equal(begun(), 1);
  assert.equal(machine.run("resume").status, 0);
  await until(() => ends(own()).join() === "completed,completed,completed");
  assert.equal(begun(), 3);
  await daemon.end();
});

test("what the database has lost is handed over again", async (context) => {
  const { machine, line, begun, open, held, own } = sceneFor(context);
  machine.automate(line);
  const daemon = await machine.up("--store", cluster.store);
  for (let turn = 0; turn < 3; turn++) assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 3);
  cluster.sql("delete from hookline.work where status <> 'running'", database);
  await until(() => held() === 3);
  open();
  await until(() => ends(own()).join() === "completed,completed,completed");
  assert.equal(begun(), 3);
  await daemon.end();
});

test("what the command line sets off is left to a daemon that shares: overlap counts what was handed over, and it waits for the end", async (context) => {
  const { machine, line, begun, open, held, own } = sceneFor(context);
  machine.automate(line, "overlap: skip");
  const daemon = await machine.up("--store", cluster.store);
  assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 1);
  const { stdout } = machine.run("emit", "deploy.done", "--json");
  assert.deepEqual(ends(JSON.parse(stdout).runs), ["skipped: overlap: it is still running"]);
  open();
  await until(() => areOver(own()));
  const { stdout: said } = machine.run("emit", "deploy.done", "--json");
  assert.deepEqual(ends(JSON.parse(said).runs), ["completed"], "it waits for the end");
  assert.equal(cluster.sql("select count(*) from hookline.run where status = 'completed'", database), "2");
  await daemon.end();
});

test("a run that waits elsewhere is cancelled on the machine that handed it over", async (context) => {
  const { machine, line, begun, open, held, own } = sceneFor(context);
  machine.automate(line);
  const daemon = await machine.up("--store", cluster.store);
  for (let turn = 0; turn < 2; turn++) assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 2);
  const [last] = own();
  assert.ok(last);
  const { stdout, stderr } = machine.run("runs", "cancel", last.id);
  assert.match(stdout, /of Remember is skipped: cancelled before it started/, stderr);
  assert.equal(held(), 1);
  open();
  await until(() => areOver(own()));
  assert.deepEqual(ends(own()), ["completed", "skipped: cancelled before it started"]);
  await daemon.end();
});

test("[R48] with a shared store, too, what waits is skipped once its automation is disabled", async (context) => {
  const { machine, line, begun, open, held, own } = sceneFor(context);
  const file = machine.automate(line);
  const daemon = await machine.up("--store", cluster.store);
  for (let turn = 0; turn < 3; turn++) assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 3);
  writeFileSync(file, `${readFileSync(file, "utf8")}enabled: false\n`);
  await until(() => held() === 1);
  open();
  await until(() => areOver(own()));
  assert.deepEqual(ends(own()), ["completed", "skipped: disabled", "skipped: disabled"]);
  assert.equal(begun(), 1);
  await daemon.end();
});

test("what was disabled while the database was away is ended as soon as it is back", async (context) => {
  cluster.empty();
  const { store, journal } = placeFor(context);
  const connection = openConnection({ url: cluster.store, patience: 0 }); // each question fails at once
  context.after(() => connection.close());
  const work = createSharedWork({ connection });
  const hook = durableHook("h", [marking("a")]);
  for (const id of ["r1", "r2"]) {
    const item = itemOf(hook, id);
    await store.saveRun(item.run);
    journal.add(item, Date.now());
    journal.claim("1:2:w", { cap: 10, until: 10_000 });
    await work.add(item);
    assert.equal(journal.handOver("1:2:w", id, await work.identity()), true);
  }
  let because: string | undefined;
  const following = followHandedOver({
    ...{ work, handedOver: createHandedOver(store), now: Date.now, after: systemAfter, tookBack() {}, complain() {} },
  });
  following.start({ perform: async () => {}, drop: async () => {}, withdrawal: () => because });
  await until(() => following.size() === 2);
  await cluster.stop({ immediate: true });
  because = "disabled";
  await following.recheck();
  assert.equal(following.size(), 2);
  await cluster.start();
  await until(() => following.size() === 0);
  for (const id of ["r1", "r2"]) assert.equal((await store.run(id))?.reason, "disabled");
  await following.close();
});

test("what one database has is not handed over to another, and a daemon that cannot hear of it says so", async (context) => {
  const { machine, line, begun, open, shut, held, own } = sceneFor(context);
  machine.automate(line);
  const first = await machine.up("--store", cluster.store);
  for (let turn = 0; turn < 3; turn++) assert.equal(await first.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 3);
  first.process.kill("SIGKILL");
  const [last] = own();
  assert.ok(last);
  const refused = machine.run("runs", "cancel", last.id);
  assert.equal(refused.status, 1);
  assert.match(
    refused.stderr,
    /handed over to other machines, which hear of this once `hookline up` runs with their store/,
  );
  assert.match(machine.run("doctor").stdout, /3 runs were handed over to other machines, and no daemon here/);

  const alone = await machine.up();
  assert.match(machine.run("status").stdout, /3 handed over to machines whose store this daemon was not given/);
  await alone.end();
  const other = await machine.up("--store", await addShared(cluster, "other"));
  await until(() => other.stderr().includes("another database has 3 of this machine's runs"));
  assert.equal(await other.send("deploy.done"), 200);
  await until(() => begun() === 2);
  assert.equal(cluster.sql("select count(*) from hookline.work", "other"), "1");
  open();
  await until(() => own().some(({ status }) => status === "completed"));
  await other.end();

  shut();
  const again = await machine.up("--store", cluster.store);
  await until(() => own().some(({ status }) => status === "skipped"));
  open();
  await until(() => areOver(own()));
  assert.deepEqual(ends(own()), [...Array(3).fill("completed"), "skipped: cancelled before it started"]);
  await again.end();
});

test("what waits for a place, and not for its own hook, is taken back, too", async (context) => {
  const { machine, line, begun, open, held } = sceneFor(context);
  const settings = join(machine.folder, "home", ".config", "hookline");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "config.yaml"), "hook_engine:\n  max_concurrent_hooks: 1\n");
  const files = ["First", "Second"].map((name) => machine.automate(line, "overlap: queue", name));
  const daemon = await machine.up("--store", cluster.store);
  assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1 && held() === 2);
  const waits = cluster.sql("select hook from hookline.work where status = 'waiting'", database);
  const file = files[waits.includes("irst") ? 0 : 1] ?? "";
  writeFileSync(file, `${readFileSync(file, "utf8")}enabled: false\n`);
  await until(() => held() === 1);
  assert.equal(cluster.sql("select reason from hookline.run where status = 'skipped'", database), "disabled");
  open();
  await until(() => held() === 0);
  assert.equal(begun(), 1);
  await daemon.end();
});

test("a run that ends while its machine stops is listed there with its end", async (context) => {
  const { machine, line, begun, open, own } = sceneFor(context);
  machine.automate(line);
  const daemon = await machine.up("--store", cluster.store);
  assert.equal(await daemon.send("deploy.done"), 200);
  await until(() => begun() === 1);
  const ended = daemon.end();
  open();
  await ended;
  assert.deepEqual(ends(own()), ["completed"]);
});
