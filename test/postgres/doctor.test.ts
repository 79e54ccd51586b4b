/** hookline doctor where a Postgres is the store: whatever keeps it from working is named with the command that mends it. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { migrate } from "../../src/storage/postgres/migrate.ts";
import { migrations } from "../../src/storage/postgres/schema.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import { durableHook, itemOf } from "../runtime/queues/world.ts";
import { password, startCluster } from "./cluster.ts";
import { type Machine, makeMachine } from "./machine.ts";
import { database, owner, type Prepared, reader, writer } from "./prepared.ts";
import { startShared } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared();
});
beforeEach(() => cluster.empty());
after(() => cluster.close());

interface Finding {
  area: string;
  finding: string;
  is: string;
  says: string;
  run?: string;
}

/** What doctor finds of the Postgres, if any. */
function findings(machine: Machine, ...words: string[]): Finding[] {
  const { stdout, stderr } = machine.run("doctor", "--json", ...words);
  assert.doesNotMatch(stdout + stderr, new RegExp(password), "no password is said");
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout).filter(({ area }: Finding) => area === "postgres");
}
const named = (found: readonly Finding[]): string[] => found.map(({ finding }) => finding);
const shown = (role: string, name = database): string => `postgresql://${role}@127.0.0.1:${cluster.port}/${name}`;

/** Adds a run, as a machine hands one over. */
async function addRun(context: TestContext, version?: number): Promise<void> {
  const connection = openConnection({ url: cluster.store });
  context.after(() => connection.close());
  const item = itemOf(durableHook(`h${version ?? ""}`, []), `r${version ?? ""}`);
  const root = "/nowhere/shop";
  await createSharedWork({ connection }, version).add({
    ...item,
    hook: { ...item.hook, origin: { ...item.hook.origin, root } },
  });
}

test("a Postgres that nobody has named is not looked for, and one that works is named with what it holds", (context) => {
  const machine = makeMachine(context);
  assert.deepEqual(findings(machine), []);
  const good = findings(machine, "--store", cluster.store);
  assert.deepEqual(named(good), ["good"]);
  assert.match(good[0]?.says ?? "", /hookline_writer@127.* takes records: schema \d, 0 workers, 0 runs to perform/);
  machine.environment.HOOKLINE_STORE = cluster.store;
  assert.deepEqual(findings(machine), good);
});

test("a server, a role and tables that Hookline cannot work with are named with the command that mends it", async (context) => {
  const machine = makeMachine(context);
  cluster.sql("create database bare");
  cluster.sql(`create database old owner ${owner}`);
  cluster.sql(`create role stranger login password '${password}'`);
  await migrate({ url: cluster.url(owner, "old"), writer });
  const migrating = (to: string, name = database): string =>
    `hookline store migrate --store ${shown(owner, name)} --writer ${to}`;
  const look = (url: string, finding: string, says: RegExp, run: string): void => {
    const [first, ...others] = findings(machine, "--store", url);
    assert.deepEqual([first?.finding, first?.run, named(others)], [finding, run, []]);
    assert.match(first?.says ?? "", says);
  };
  const psql = (url: string): string => `psql ${url.replace(/:[^:@/]*@/, "@")}`;
  const nowhere = "postgres://a@127.0.0.1:1/b";
  const wrong = cluster.store.replace(password, "wrong");
  look(nowhere, "postgres-unreachable", /ECONNREFUSED .*check that the server runs/, psql(nowhere));
  look(wrong, "postgres-unreachable", /the password or the role is wrong: check both/, psql(wrong));
  look(
    "postgres://a/b",
    "postgres-unreachable",
    /names no role, host or database/,
    "psql postgres://ROLE@HOST/DATABASE",
  );
  look(cluster.url("postgres", database), "postgres-role", /postgres is a superuser/, migrating(writer));
  look(cluster.url(owner, database), "postgres-role", /may alter the tables/, migrating(writer));
  look(cluster.url(reader, database), "postgres-role", /may only read/, migrating(writer));
  look(
    cluster.url("stranger", database),
    "postgres-rights",
    /may not use hookline, hookline\.baseline/,
    migrating("stranger"),
  );
  look(cluster.url(writer, "bare"), "postgres-tables", /no tables of Hookline/, migrating(writer, "bare"));
  look(cluster.url(writer, "old"), "postgres-tables", /no tables of DBOS/, migrating(writer, "old"));
  cluster.sql(`revoke insert on hookline.work from ${writer}`, database);
  look(cluster.store, "postgres-rights", /may not use hookline\.work \(/, migrating(writer));
  cluster.sql(`grant insert on hookline.work to ${writer}`, database);
  cluster.sql("update hookline.meta set value = '1' where key = 'version'", database);
  look(cluster.store, "postgres-tables", /of version 1, and this Hookline needs \d/, migrating(writer));
  cluster.sql("update hookline.meta set value = '99' where key = 'version'", database);
  look(
    cluster.store,
    "postgres-newer",
    /of version 99, and this Hookline knows \d/,
    "npm install --global hookline@latest",
  );
  cluster.sql(`update hookline.meta set value = '${migrations.length}' where key = 'version'`, database);
});

test("runs that no living worker performs are named: all, those of another run schema, and those whose folder no worker has", async (context) => {
  const machine = makeMachine(context);
  machine.environment.HOOKLINE_STORE = cluster.store;
  for (const version of [undefined, 7]) await addRun(context, version);
  const left = findings(machine);
  assert.deepEqual(
    left.map(({ finding, run }) => [finding, run]),
    [
      ["runs-without-worker", "hookline worker"],
      ["runs-stranded", "hookline runs --all --status queued"],
    ],
  );
  assert.match(left[0]?.says ?? "", /1 run waits in .* and no worker lives/);
  assert.match(left[1]?.says ?? "", /for a worker of run schema 7, and none lives/);
  cluster.sql(
    `insert into hookline.worker (id, token, place, version, seen)
       select id, '', '', version, now() + interval '1 day' -- else they are dead where doctor is slow
       from (values ('one', 1), ('two', 7)) as living (id, version);
     insert into hookline.work_place (number) values (1);
     update hookline.work set since = now() - interval '2 minutes'`,
    database,
  );
  const [first, ...others] = findings(machine);
  assert.deepEqual([first?.finding, first?.is, named(others)], ["runs-without-folder", "note", []]);
  assert.match(first?.says ?? "", /2 runs wait for a worker on a machine that has the folder \/nowhere\/shop/);
  cluster.sql("insert into hookline.pause (what, at) values ('/nowhere/shop', 0)", database);
  assert.deepEqual(named(findings(machine)), ["good"], "they are paused");
  cluster.sql("delete from hookline.pause; update hookline.work_place set run = 'another'", database);
  assert.deepEqual(named(findings(machine)), ["good"], "there is no room for them");
});

test("rows that nobody brings to Postgres are named, and a daemon that works without it, or with one that doctor cannot enter", async (context) => {
  const machine = makeMachine(context);
  machine.hook("ls");
  const flag = ["--store", cluster.store];
  const naming = ` --store ${shown(writer)}`;
  const [none, ...more] = findings(machine, ...flag);
  assert.deepEqual(
    [none?.finding, none?.run, named(more)],
    ["rows-not-brought", `hookline up --background${naming}`, []],
  );
  assert.match(none?.says ?? "", /1 row of this machine is not in .* yet, the first written /);
  const without = await machine.up();
  assert.deepEqual(
    findings(machine, ...flag).map(({ finding, run }) => [finding, run]),
    [
      ["daemon-without-postgres", `hookline down && hookline up --background${naming}`],
      ["rows-not-brought", `hookline down && hookline up --background${naming}`],
    ],
  );
  await without.end();
  const daemon = await machine.up(...flag);
  while (cluster.sql("select count(*) from hookline.event", database) !== "1") await pause(50);
  assert.deepEqual(named(findings(machine, ...flag)), ["good"]);
  const [unseen] = findings(machine);
  assert.deepEqual([unseen?.finding, unseen?.is], ["postgres-unseen", "note"]);
  assert.match(unseen?.says ?? "", /the daemon works with postgres:.*, which doctor cannot look into/);
  machine.environment.PGPASSWORD = password;
  assert.deepEqual(named(findings(machine)), ["good"]);
  await cluster.stop();
  machine.hook("ls");
  while (named(findings(machine)).join() !== "postgres-unreachable") await pause(50); // once the daemon has noticed
  await cluster.start();
  await daemon.end();
});

test("a standby is named as such, before anything that would have to be written there", async (context) => {
  const standby = await startCluster({ standbyOf: cluster });
  context.after(() => standby.close());
  const [first] = findings(makeMachine(context), "--store", standby.url(writer, database));
  assert.equal(first?.finding, "postgres-standby");
});

test("a daemon that performs no automations, because the tables of DBOS are not there, says so to doctor", async (context) => {
  const machine = makeMachine(context);
  cluster.sql(`revoke usage on schema hookline_dbos from ${writer}`, database);
  const folder = join(machine.workspace, ".hookline", "automations");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "remember.yaml"),
    "name: Remember\ntrigger: { type: event, event_type: deploy.done }\ncontext_steps: [{ type: shell, command: 'true' }]\n",
  );
  const daemon = await machine.up("--store", cluster.store);
  const found = findings(machine, "--store", cluster.store);
  cluster.sql(`grant usage on schema hookline_dbos to ${writer}`, database);
  await daemon.end();
  assert.deepEqual(named(found), ["postgres-rights", "daemon-performs-nothing"]);
  assert.match(found[1]?.says ?? "", /performs no automations of postgres:.*DBOS did not start/);
});
