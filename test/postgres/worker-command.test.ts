/** hookline worker and hookline up with a Postgres, as people start them. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { migrations } from "../../src/storage/postgres/schema.ts";
import { type ScriptedTurn, startScriptedModel } from "../../testing/index.ts";
import { durableHook, itemOf } from "../runtime/queues/world.ts";
import { type Machine, makeMachine } from "./machine.ts";
import { database, type Prepared, writer } from "./prepared.ts";
import { senderFor, startShared } from "./shared-world.ts";
import { startWorker } from "./start-command.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared();
});
after(() => cluster.close());

async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(50);
}

const done: ScriptedTurn = { text: "All is well.", usage: { input: 10, output: 2 } };

test("[AT49, A46] of two workers one is killed while the model thinks: the other ends the run, and the step before is not repeated", async (context) => {
  cluster.empty();
  const server = await startScriptedModel({ turns: [{ hang: true, times: 1, next: done }], playSides: true });
  context.after(() => server.close());
  const machines = [makeMachine(context), makeMachine(context)];
  for (const { folder } of machines) {
    mkdirSync(join(folder, "home", ".config", "hookline"), { recursive: true });
    const models = `models:\n  default: local/qwen3\n  providers:\n    local: { kind: openai-compatible, url: "${server.url}/v1" }\n`;
    writeFileSync(join(folder, "home", ".config", "hookline", "config.yaml"), models);
  }
  const [one, other] = machines;
  assert.ok(one && other);
  const log = join(one.folder, "steps");
  const gather = {
    uses: "context_shell",
    with: { command: `echo gathered >> ${log}` },
    timeout: 30,
    onError: "continue" as const,
  };
  const ask = { uses: "ask_model", with: { prompt: "Say what happened." }, timeout: 300, onError: "stop" as const };
  const { work, over } = senderFor(context, cluster.store);
  const item = itemOf(durableHook("h", [gather, ask]), "r1", { cwd: one.workspace });
  await work.add(item);
  const first = await startWorker(context, one, { words: ["--store", cluster.store] });
  await server.arrival(1);
  const second = await startWorker(context, other, { words: ["--store", cluster.store] });
  first.child.kill("SIGKILL");
  const run = await over(item);
  assert.deepEqual([run.status, run.steps.at(-1)?.output.response], ["completed", "All is well."]);
  assert.equal(readFileSync(log, "utf8"), "gathered\n");
  assert.equal(server.requests.length, 2);
  second.child.kill("SIGTERM");
  assert.equal(await second.ended, 0);
  assert.match(second.said(), /\d running here of at most 2 at once; \d running and 0 waiting in all, \d workers?/);
});

test("a run that is cancelled ends the call of the model that it waits for", async (context) => {
  cluster.empty();
  const server = await startScriptedModel({ turns: [{ hang: true, times: 5, next: done }], playSides: true });
  context.after(() => server.close());
  const machine = makeMachine(context);
  mkdirSync(join(machine.folder, "home", ".config", "hookline"), { recursive: true });
  writeFileSync(
    join(machine.folder, "home", ".config", "hookline", "config.yaml"),
    `models:\n  default: local/qwen3\n  providers:\n    local: { kind: openai-compatible, url: "${server.url}/v1" }\n`,
  );
  const ask = { uses: "ask_model", with: { prompt: "Say what happened." }, timeout: 3_000, onError: "stop" as const };
  const { work, over } = senderFor(context, cluster.store);
  const item = itemOf(durableHook("h", [ask]), "r1", { cwd: machine.workspace });
  await work.add(item);
  await startWorker(context, machine, { words: ["--store", cluster.store] });
  await server.arrival(1);
  await work.cancel("r1");
  const run = await over(item);
  assert.deepEqual([run.status, run.reason], ["cancelled", "cancelled"]);
});

test("a shared run is cancelled by any machine that names the store, and by the one that handed it over without", async (context) => {
  cluster.empty();
  const [one, other] = [makeMachine(context), makeMachine(context)];
  const log = join(one.folder, "steps");
  one.automate(`echo $$ >> ${log}; sleep 300`);
  const pids = (): string[] => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []);
  const daemon = await one.up("--store", cluster.store);
  const flag = ["--store", cluster.store];
  const listed = (machine: Machine, ...words: string[]): { id: string; status: string }[] =>
    JSON.parse(machine.run("runs", "--all", "--json", ...words).stdout);
  for (const [turn, [machine, words]] of [[other, flag] as const, [one, []] as const].entries()) {
    assert.equal(await daemon.send("deploy.done"), 200);
    await until(() => pids().length === turn + 1);
    const { id } =
      listed(other, ...flag).find(({ status }) => status !== "cancelled") ?? assert.fail("it is not listed");
    const { status, stdout, stderr } = machine.run("runs", "cancel", id, ...words);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /the run \S+ of Remember is (?:cancelled|told to end)/);
    const areCancelled = (known: ReturnType<typeof listed>): boolean =>
      known.every((run) => run.status === "cancelled");
    await until(() => areCancelled(listed(one)) && areCancelled(listed(other, ...flag)));
    assert.throws(() => process.kill(Number(pids()[turn])), "what it had started is gone");
  }
  assert.equal(other.run("runs", "cancel", listed(one)[0]?.id ?? "", ...flag).status, 1, "it has ended");
  await daemon.end();
});

test("a store that cannot be shared, a wrong role, and tables of another version are refused with what to do", (context) => {
  cluster.empty();
  const machine = makeMachine(context);
  const refusal = (url: string): [number | null, string] => {
    const { status, stderr } = machine.run("worker", "--store", url);
    return [status, stderr];
  };
  const refused = (url: string, code: number, said: RegExp): void => {
    const [status, stderr] = refusal(url);
    assert.match(stderr, said);
    assert.doesNotMatch(stderr, /of-the-tests|\n {4}at /);
    assert.equal(status, code);
  };
  refused("runs.db", 2, /a worker needs a store that machines share: name a Postgres by --store or HOOKLINE_STORE/);
  refused(cluster.store.replace("of-the-tests", "wrong"), 3, /the password or the role is wrong/);
  refused("postgres://hookline_writer@127.0.0.1:1/hookline", 3, /ECONNREFUSED/);
  cluster.sql("update hookline.meta set value = '1' where key = 'version'", database);
  refused(
    cluster.store,
    3,
    /its schema is of version 1, and this Hookline needs .* let its owner run `hookline store migrate`/,
  );
  cluster.sql("update hookline.meta set value = '99' where key = 'version'", database);
  refused(cluster.store, 3, /its schema is of version 99, which is newer than this Hookline .* update Hookline/);
  cluster.sql(`update hookline.meta set value = '${migrations.length}' where key = 'version'`, database);
  cluster.sql("alter schema hookline_dbos rename to put_away", database);
  refused(cluster.store, 3, /the tables of DBOS are missing or too old .* `hookline store migrate --writer ROLE`/);
  cluster.sql("alter schema put_away rename to hookline_dbos", database);
  cluster.sql(`revoke all on schema hookline_dbos from ${writer}`, database);
  refused(cluster.store, 3, /DBOS did not start: .* let its owner run `hookline store migrate --writer ROLE`/);
  cluster.sql(`grant usage on schema hookline_dbos to ${writer}`, database);
});

test("a worker without a name is refused", (context) => {
  const { status, stderr } = makeMachine(context).run("worker", "--store", cluster.store, "--name", " ");
  assert.equal(status, 2);
  assert.match(stderr, /--name is empty/);
});

test("a worker says where its settings are wrong, and works", async (context) => {
  cluster.empty();
  const machine = makeMachine(context);
  const settings = join(machine.folder, "home", ".config", "hookline");
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, "config.yaml"), "engine: { max_concurrent_hooks: 8 }\n");
  const { said } = await startWorker(context, machine, { words: ["--store", cluster.store] });
  await until(() => said().includes("2 at once"));
  assert.match(said(), /config\.yaml:1:1: nothing reads "engine"/);
});

test("hookline up asks nothing of the queue while its machine has no automations, and works once it has one", async (context) => {
  cluster.empty();
  const machine = makeMachine(context);
  const workers = (): string => cluster.sql("select count(*) from hookline.worker", database);
  const daemon = await machine.up("--store", cluster.store);
  assert.equal(workers(), "0");
  machine.automate("echo ran");
  await until(() => workers() === "1");
  await daemon.end();
});
