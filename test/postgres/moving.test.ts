import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { advance } from "../../src/engine/events.ts";
import { createIds } from "../../src/runtime/system.ts";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import { createShip } from "../../src/storage/postgres/shipping.ts";
import { openSqliteStore, type SqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { bin } from "../program.ts";
import { durableHook, itemOf } from "../runtime/queues/world.ts";
import { anEvent, aRun, noHooks } from "../storage/contract.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Machine, makeMachine } from "./machine.ts";
import { database, type Prepared, startPrepared } from "./prepared.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startPrepared();
});
beforeEach(() => cluster.empty());
after(() => cluster.close());

const count = (table: string): number => Number(cluster.sql(`select count(*) from hookline.${table}`, database));

const storeOf = ({ environment }: Machine): string => join(environment.XDG_STATE_HOME ?? "", "hookline", "hookline.db");

/** So many events with a run each, over 20 days, as the engine writes them; texts that JSON and databases have their own ways with among them. */
function fill(path: string, events: number): void {
  const store = openSqliteStore({ path });
  store.database.write(() => {
    for (let index = 0; index < events; index++) {
      const at = Date.now() - (index % 20) * 86_400_000 - index;
      const ids = createIds(() => at);
      const event = anEvent({ id: ids(), at, session: `s${index % 7}`, data: { text: `ü\u0000\ud800 "${index}"` } });
      void store.record(event, { id: `set ${index % 3}`, hooks: [] }, advance);
      if (index % 5 > 0) void store.answered(event.id, { context: [`c${index}`] }, 1.5);
      void store.saveRun(aRun({ id: ids(), eventId: event.id, startedAt: at, session: "s\u0000" }));
    }
  });
  store.close();
}

test("a record goes to Postgres and back into a file, and both sides are the same by counts and hashes", (context) => {
  const machine = makeMachine(context);
  fill(storeOf(machine), 1_234);
  const there = machine.run("store", "move", "--to", cluster.store, "--json");
  assert.equal(there.status, 0, there.stderr);
  const moved = JSON.parse(there.stdout);
  assert.deepEqual([moved.events, moved.runs], [1_234, 1_234]);
  assert.equal(
    machine.run("store", "move", "--to", cluster.store, "--json").stdout,
    there.stdout,
    "again changes nothing",
  );
  const file = join(machine.folder, "back.db");
  const back = machine.run("store", "move", "--to", `sqlite:${file}`, "--store", cluster.store, "--json");
  assert.equal(back.status, 0, back.stderr);
  assert.equal(back.stdout, there.stdout);
  const listed = ["runs", "--all", "--limit", "2000", "--json"];
  assert.equal(
    machine.run(...listed, "--store", `sqlite:${file}`).stdout,
    machine.run(...listed).stdout,
    "in the same order",
  );
  const over = machine.run("store", "move", "--to", `sqlite:${storeOf(machine)}`, "--store", cluster.store);
  assert.match(over.stderr, /the file holds a record already .* name a file that is not there yet/);
});

test("what was removed on the machine after it was moved keeps no later move from being the same", (context) => {
  const machine = makeMachine(context);
  fill(storeOf(machine), 600);
  const move = (): { status: number | null; stdout: string; stderr: string } =>
    machine.run("store", "move", "--to", cluster.store, "--json");
  assert.equal(move().status, 0);
  const store = openSqliteStore({ path: storeOf(machine) });
  store.database.write(() => void store.database.run("delete from run where rowid % 3 = 0"));
  store.close();
  const again = move();
  assert.equal(again.status, 0, again.stderr);
  assert.deepEqual([JSON.parse(again.stdout).events, JSON.parse(again.stdout).runs], [600, 400]);
  assert.equal(count("run"), 600);
});

test("a run that a worker has written already belongs to the record of the machine that queued it", async (context) => {
  const machine = makeMachine(context);
  fill(storeOf(machine), 3);
  const store = openSqliteStore({ path: storeOf(machine) });
  const [run] = await store.runs({ limit: 1 });
  store.close();
  assert.ok(run);
  const connection = openConnection({ url: cluster.store });
  const item = itemOf(durableHook("h", []), run.id);
  await createSharedWork({ connection }).add({ ...item, run });
  await connection.close();
  const moved = machine.run("store", "move", "--to", cluster.store, "--json");
  assert.equal(moved.status, 0, moved.stderr);
  assert.equal(JSON.parse(moved.stdout).runs, 3);
});

test("a run that a worker performs is listed as running, whatever the machine that queued it brings of it", async (context) => {
  const { store, ship } = shipping(context);
  const connection = openConnection({ url: cluster.store });
  context.after(() => connection.close());
  const work = createSharedWork({ connection });
  const run = aRun({ status: "queued" });
  delete run.ms;
  await store.saveRun(run);
  await work.add({ ...itemOf(durableHook("h", []), run.id), run });
  const member = { id: "w", token: "t", where: "" };
  await work.makePlaces(1);
  const [begun] = await work.begin({ member, cap: 1, limit: 1, elsewhere: [] });
  assert.ok(begun);
  await work.save(begun.hold, { ...run, status: "running" });
  await ship();
  assert.equal(cluster.sql("select status, source is not null from hookline.run", database), "running|t");
  await work.save(begun.hold, { ...run, status: "completed", ms: 5 });
  await store.saveRun({ ...run, status: "running" });
  await ship();
  assert.equal(cluster.sql("select status from hookline.run", database), "completed");
});

test("a move that is killed again and again goes on where it was, in both directions", async (context) => {
  const machine = makeMachine(context);
  fill(storeOf(machine), 6_000);
  const file = join(machine.folder, "back.db");
  const moves: [words: string[], rows: () => number][] = [
    [["--to", cluster.store], () => count("event")],
    [["--to", file, "--store", cluster.store], () => rowsIn(file)],
  ];
  const done: string[] = [];
  for (const [words, rows] of moves) {
    let kills = 0;
    for (let seen = -1; rows() < 6_000 && kills < 4; ) {
      const child = spawn(process.execPath, [bin, "store", "move", ...words], {
        cwd: machine.workspace,
        env: machine.environment,
      });
      const over = new Promise((resolve) => child.once("exit", resolve));
      while (rows() <= seen && child.exitCode === null) await pause(5); // a part further than last time
      seen = rows();
      if (child.kill("SIGKILL")) kills += 1;
      await over;
    }
    assert.ok(kills > 0, "it was killed in the middle");
    const last = machine.run("store", "move", ...words, "--json");
    assert.equal(last.status, 0, last.stderr);
    done.push(last.stdout);
  }
  assert.equal(JSON.parse(done[0] ?? "").events, 6_000);
  assert.equal(done[0], done[1]);
});

function rowsIn(file: string): number {
  try {
    const store = openSqliteStore({ path: file });
    const rows = store.database.get<{ n: number }>("select count(*) as n from event")?.n ?? 0;
    store.close();
    return rows;
  } catch {
    return 0; // it is being made
  }
}

test("a move to what is no Postgres, from a file to a file, or without a target says what to write", (context) => {
  const machine = makeMachine(context);
  assert.match(machine.run("store", "move").stderr, /move needs --to postgres:/);
  assert.match(machine.run("store", "move", "--to", "other.db").stderr, /both sides are files: copy the file/);
  assert.match(
    machine.run("store", "move", "--to", cluster.store, "--store", cluster.store).stderr,
    /both sides are Postgres/,
  );
  assert.match(machine.run("store", "migrate").stderr, /migrate needs --store postgres:/);
  assert.match(machine.run("store").stderr, /missing action/);
});

/** A machine's store, and what brings it to Postgres. */
function shipping(context: Parameters<typeof temporaryFolder>[0], path = join(temporaryFolder(context), "store.db")) {
  const store: SqliteStore = openSqliteStore({ path });
  const connection = openConnection({ url: cluster.store, connections: 1 });
  const complaints: string[] = [];
  const ship = createShip({
    ...{ database: store.database, connection, name: "machine" },
    complain: (reason) => void complaints.push(reason),
  });
  context.after(async () => {
    store.close();
    await connection.close();
  });
  return { store, ship, complaints, path };
}

test("what ends after it was brought to Postgres is brought again: a run's end, and an event's answer", async (context) => {
  const { store, ship } = shipping(context);
  const event = anEvent({ at: Date.now() });
  await store.record(event, noHooks, advance);
  const run = aRun({ status: "running", eventId: event.id });
  await store.saveRun(run);
  await ship();
  assert.equal(count("run where status = 'running'"), 1);
  await store.saveRun({ ...run, status: "failed", reason: "exit 1" });
  await store.answered(event.id, { context: ["c"] });
  assert.equal(await ship(), 2);
  assert.equal(count("run where status = 'failed' and reason = 'exit 1'"), 1);
  assert.equal(count("event where outcome is not null"), 1);
  assert.equal(await ship(), 0, "nothing is new");
});

test("[F19] rows that a server has lost after it took them are brought again, as its own word says how far it had come", async (context) => {
  const { store, ship } = shipping(context);
  for (let index = 0; index < 20; index++) await store.saveRun(aRun());
  await ship();
  const back = cluster.sql("select run_seq from hookline.source", database);
  cluster.sql("create table public.copy as select * from hookline.source", database);
  for (let index = 0; index < 30; index++) await store.saveRun(aRun());
  await ship();
  assert.equal(count("run"), 50);
  // what a standby that lacked the last transactions would hold
  cluster.sql(
    "delete from hookline.run where seq > (select min(seq) + 19 from hookline.run); delete from hookline.source; insert into hookline.source select * from public.copy; drop table public.copy",
    database,
  );
  assert.deepEqual([count("run"), back], [20, "20"]);
  await ship();
  assert.equal(count("run"), 50);
});

test("rows that take the numbers of deleted ones are brought, too, and so is a store that was made anew", async (context) => {
  const { store, ship, path } = shipping(context);
  for (let index = 0; index < 10; index++) await store.saveRun(aRun());
  await ship();
  store.database.run("delete from run where seq > 5"); // as when an automation is removed
  for (let index = 0; index < 5; index++) await store.saveRun(aRun());
  await ship();
  assert.equal(count("run"), 15);
  store.database.run("delete from run where seq > 8");
  await store.saveRun(aRun());
  await ship();
  assert.equal(count("run"), 16);
  const anew = shipping(context, `${path}.new`);
  await anew.store.saveRun(aRun());
  await anew.ship();
  assert.equal(count("run"), 17);
  assert.equal(count("source"), 2);
});

test("one row that Postgres does not take is left out and told; the others come", async (context) => {
  const { store, ship, complaints } = shipping(context);
  const random = Array.from({ length: 9_000 }, () => Math.random().toString(36)).join("");
  for (const id of ["one", "two"]) await store.record(anEvent({ id }), noHooks, advance);
  await store.record(anEvent({ id: random }), noHooks, advance); // longer than an index takes
  for (const id of ["three", "four"]) await store.record(anEvent({ id }), noHooks, advance);
  for (let index = 0; index < 3; index++) await store.saveRun(aRun());
  await ship();
  assert.deepEqual([count("event"), count("run")], [4, 3]);
  assert.equal(complaints.length, 1);
  assert.match(complaints[0] ?? "", /a row cannot be copied to Postgres and is left out: .*index/);
});

test("a machine's daemon and its commands bring the same rows at once, and each comes once", async (context) => {
  const one = shipping(context);
  for (let index = 0; index < 700; index++) await one.store.saveRun(aRun());
  const two = shipping(context, one.path);
  await Promise.all([one.ship(), two.ship()]);
  assert.equal(count("run"), 700);
});
