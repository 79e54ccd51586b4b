import assert from "node:assert/strict";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { makeMachine } from "./machine.ts";
import { database, type Prepared, startPrepared, writer } from "./prepared.ts";

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
  for (const [turn, { stdout, ms }] of answers.entries()) {
    assert.equal(/nothing is removed here/.test(stdout), turn % 2 === 0);
    assert.ok(ms < 10_000, `it took ${ms} ms`); // far below what an agent gives a hook, and above what a busy machine takes
  }
  await until(async () => (await ready(daemon.port)).status === 503);
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

test("[R72, F19] hooks decide and lose nothing while Postgres is halted and answers nothing", (context) =>
  decidesWithout(
    context,
    () => pauseServer("SIGSTOP"),
    () => pauseServer("SIGCONT"),
  ));

/** Its processes, each of which may be serving a connection. */
function pauseServer(signal: "SIGSTOP" | "SIGCONT"): void {
  for (const pid of serverProcesses()) process.kill(pid, signal);
}
let paused: number[] = [];
function serverProcesses(): number[] {
  if (paused.length > 0) return paused.splice(0);
  const pids = cluster.sql(
    "select pid from pg_stat_activity where backend_type in ('client backend', 'walwriter') and pid <> pg_backend_pid()",
  );
  paused = [cluster.pid(), ...pids.split("\n").filter(Boolean).map(Number)];
  return [...paused];
}

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
