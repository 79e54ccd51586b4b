import assert from "node:assert/strict";
import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openSqliteStore } from "../../src/storage/sqlite/sqlite.ts";
import { aRun } from "../storage/contract.ts";
import { password, startCluster } from "./cluster.ts";
import { halt } from "./halt.ts";
import { makeMachine } from "./machine.ts";
import { database, owner, type Prepared, startPrepared, writer } from "./prepared.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startPrepared();
});
beforeEach(async () => {
  await cluster.start().catch(() => {}); // a test before may have ended without it
  cluster.empty();
});
after(() => cluster.close());

const count = (table: string): number => Number(cluster.sql(`select count(*) from hookline.${table}`, database));
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await pause(50);
}
const ready = async (port: number): Promise<{ status: number; missing: string[] }> => {
  const answer = await fetch(`http://127.0.0.1:${port}/ready`);
  const { missing } = (await answer.json()) as { missing: string[] }; // what the daemon answers there
  return { status: answer.status, missing };
};

test("what two machines record is seen on both, by runs, by why and by a run's first letters", (context) => {
  const [one, other] = [makeMachine(context), makeMachine(context)];
  const sent = one.run(
    "emit",
    "PreToolUse",
    "--data",
    '{"tool_name":"Bash","tool_input":{"command":"rm -r x"}}',
    "--store",
    cluster.store,
    "--json",
  );
  assert.equal(sent.status, 1, sent.stderr);
  const { event, runs } = JSON.parse(sent.stdout);
  assert.equal(count("event"), 1);
  const listed = JSON.parse(other.run("runs", "--all", "--store", cluster.store, "--json").stdout);
  assert.deepEqual(
    listed.map(({ id }: { id: string }) => id),
    [runs[0].id],
  );
  const shown = other.run("runs", "show", runs[0].id.slice(0, 16), "--store", cluster.store);
  assert.match(shown.stdout, /nothing is removed here/);
  const why = JSON.parse(other.run("why", event.id, "--store", cluster.store, "--json").stdout);
  assert.equal(why.outcome.verdict.is, "deny");
  assert.deepEqual(
    why.hooks.map(({ verdict }: { verdict: string }) => verdict),
    ["deny"],
  );
  assert.equal(other.run("runs", "--all").stdout.includes("no_rm"), false, "its own store holds its own");
  assert.equal(other.run("list", "--store", cluster.store).status, 0);
});

test("a daemon brings what hooks decide to Postgres, and is ready as long as it can", async (context) => {
  const machine = makeMachine(context);
  const daemon = await machine.up("--store", cluster.store);
  assert.match(machine.hook("rm -r x").stdout, /nothing is removed here/);
  await until(() => count("event") === 1 && count("run where status = 'completed'") === 1);
  assert.deepEqual(await ready(daemon.port), { status: 200, missing: [] });
  await daemon.end();
});

test("what is decided while no daemon runs comes with the next one, also with `up --once`", (context) => {
  const machine = makeMachine(context);
  machine.hook("ls");
  machine.hook("rm x");
  assert.equal(count("event"), 0);
  assert.equal(machine.run("up", "--once", "--store", cluster.store).status, 0);
  assert.equal(count("event"), 2);
});

/** Hooks answer from this machine, whatever the server does. */
async function decidesWithout(
  context: TestContext,
  away: () => Promise<void> | void,
  back: () => Promise<void> | void,
): Promise<void> {
  const machine = makeMachine(context);
  const daemon = await machine.up("--store", cluster.store);
  machine.hook("ls");
  await until(() => count("event") === 1);
  await away();
  const answers = [];
  for (let turn = 0; turn < 5; turn++) answers.push(machine.hook(turn % 2 === 0 ? "rm x" : "ls"));
  for (const [turn, { stdout }] of answers.entries()) {
    assert.equal(/nothing is removed here/.test(stdout), turn % 2 === 0);
  }
  await until(async () => (await ready(daemon.port)).status === 503);
  assert.match(
    machine.run("status").stdout,
    /postgres +postgres:\/\/hookline_writer@127.* rows wait since .*Z: the store cannot be used/,
  );
  assert.deepEqual((await ready(daemon.port)).missing, ["postgres"]);
  await back();
  await until(() => count("event") === 6);
  await until(async () => (await ready(daemon.port)).status === 200);
  assert.match(daemon.stderr(), /what happens waits in the machine's own store/);
  assert.match(daemon.stderr(), /Postgres has taken what happened since/);
  await daemon.end();
}

test("[R72, F19] hooks decide and lose nothing while Postgres is dead", (context) =>
  decidesWithout(
    context,
    () => cluster.stop({ immediate: true }),
    () => cluster.start(),
  ));

test("[R72, F19] hooks decide and lose nothing while Postgres is halted and answers nothing", (context) => {
  let goOn = (): void => {};
  return decidesWithout(
    context,
    () => {
      goOn = halt(cluster);
    },
    () => goOn(),
  );
});

test("a daemon starts while Postgres is away, and refuses one that will never take its rows", async (context) => {
  const machine = makeMachine(context);
  await cluster.stop();
  const daemon = await machine.up("--store", cluster.store);
  assert.match(machine.hook("rm x").stdout, /nothing is removed here/);
  await cluster.start();
  await until(() => count("event") === 1);
  await daemon.end();
  const refusals: [url: string, said: RegExp][] = [
    [cluster.url("postgres", database), /is a superuser/],
    [cluster.url(writer, "elsewhere"), /no such database/],
    [cluster.store.replace("of-the-tests", "wrong"), /the password or the role is wrong/],
  ];
  for (const [url, said] of refusals) {
    const refused = machine.run("up", "--once", "--store", url);
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, said);
    assert.doesNotMatch(refused.stderr, /of-the-tests|:wrong@/);
  }
});

test("[G15] rows that an asynchronous standby lacks when it takes over are brought to it by the machines that have them", async (context) => {
  const standby = await startCluster({ standbyOf: cluster });
  context.after(() => standby.close());
  const countThere = (): number => Number(standby.sql("select count(*) from hookline.event", database));
  const machine = makeMachine(context);
  const bring = (url: string): void => assert.equal(machine.run("up", "--once", "--store", url).status, 0);
  for (const command of ["ls", "rm a"]) machine.hook(command);
  bring(cluster.store);
  await until(() => countThere() === 2);
  await standby.stop();
  for (const command of ["ls", "rm b", "rm c"]) machine.hook(command);
  bring(cluster.store);
  assert.equal(count("event"), 5);
  await cluster.stop({ immediate: true });
  await standby.start();
  standby.program("pg_ctl", ["promote", "--pgdata", join(standby.folder, "data"), "--wait"]);
  assert.equal(countThere(), 2);
  bring(standby.url(writer, database));
  assert.equal(countThere(), 5);
});

test("a password that stands in no address comes from the environment or from a file that nobody else may read, else it is asked for", (context) => {
  const machine = makeMachine(context);
  const bare = (url: string): string => url.replace(`:${password}@`, "@");
  const file = join(machine.environment.HOME ?? "", ".pgpass");
  const look = (url = cluster.store): ReturnType<typeof machine.run> =>
    machine.run("runs", "--all", "--store", bare(url));
  const refused = (said: RegExp): void => {
    const { status, stderr } = look();
    assert.match(stderr, said);
    assert.equal(status, 3);
  };
  const taken = ({ status, stderr }: ReturnType<typeof look>): void => assert.deepEqual([status, stderr], [0, ""]);
  refused(/asks for a password, and none is named .* set PGPASSWORD, or put it into ~\/\.pgpass/);
  const lines = [
    "# the passwords of the tests",
    `127.0.0.1:1:*:*:wrong`,
    `*:${cluster.port}:${database}:${owner}:${password}`,
    `127.0.0.1:*:hook\\:line:${writer}:wrong`,
    `127.0.0.1:*:*:${writer}:${password}`,
  ];
  writeFileSync(file, lines.join("\n"), { mode: 0o644 });
  refused(/other users may read .*\.pgpass .* run `chmod 600 .*\.pgpass`/);
  chmodSync(file, 0o600);
  taken(look());
  taken(machine.run("store", "migrate", "--store", bare(cluster.url(owner, database)), "--writer", writer));
  const elsewhere = join(machine.folder, "passwords");
  renameSync(file, elsewhere);
  machine.environment.PGPASSFILE = elsewhere;
  taken(look());
  machine.environment.PGPASSFILE = join(machine.folder, "nowhere");
  refused(/none is named/);
  machine.environment.PGPASSWORD = password;
  taken(look());
});

test("`up --once` brings all that waits, however much, and its exit code says whether it could", async (context) => {
  const machine = makeMachine(context);
  const store = openSqliteStore({ path: join(machine.environment.XDG_STATE_HOME ?? "", "hookline", "hookline.db") });
  const many = 60_000;
  store.database.write(() => {
    for (let index = 0; index < many; index++) void store.saveRun(aRun());
  });
  store.close();
  const nowhere = machine.run("up", "--once", "--store", "postgres://hookline_writer@127.0.0.1:1/hookline");
  assert.equal(nowhere.status, 3);
  assert.match(nowhere.stderr, /what happens waits in the machine's own store: .*ECONNREFUSED/);
  assert.equal(machine.run("up", "--once", "--store", cluster.store).status, 0);
  assert.equal(count("run"), many);
});

test("hooks that run without a daemon ask no Postgres, whatever is named as their store", (context) => {
  const machine = makeMachine(context);
  machine.environment.HOOKLINE_STORE = "postgres://hookline_writer@127.0.0.1:1/hookline";
  machine.environment.HOOKLINE_DAEMON = "off";
  const { status, stdout, stderr } = machine.hook("rm x");
  assert.match(stdout, /nothing is removed here/);
  assert.deepEqual([status, stderr], [0, ""]);
});

test("what cannot be brought to Postgres by a command stays on this machine, and the command says so", (context) => {
  const machine = makeMachine(context);
  const nowhere = "postgres://hookline_writer@127.0.0.1:1/hookline";
  const sent = machine.run(
    "emit",
    "PreToolUse",
    "--data",
    '{"tool_name":"Bash","tool_input":{"command":"rm x"}}',
    "--store",
    nowhere,
  );
  assert.equal(sent.status, 1);
  assert.match(sent.stderr, /recorded on this machine only: .*ECONNREFUSED/);
  const asked = machine.run("runs", "--store", nowhere);
  assert.equal(asked.status, 3);
  assert.match(asked.stderr, /ECONNREFUSED .* check that the server runs/);
  assert.match(machine.run("runs").stdout, /no_rm/);
});
