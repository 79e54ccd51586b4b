/** A PgBouncer in transaction mode between Hookline and its Postgres: each transaction may have another connection, and no notification comes. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Item } from "../../src/engine/ports.ts";
import type { Run } from "../../src/engine/record.ts";
import { openConnection } from "../../src/storage/postgres/connection.ts";
import { createSharedWork } from "../../src/storage/postgres/shared-work/shared-work.ts";
import { bin } from "../program.ts";
import { durableHook, itemOf } from "../runtime/queues/world.ts";
import { type Machine, makeMachine } from "./machine.ts";
import { findPooler, type Pooler, startPooler } from "./pooler.ts";
import { database, type Prepared } from "./prepared.ts";
import { startShared } from "./shared-world.ts";

const found = findPooler();
const { program, keepsStatements } = "missing" in found ? { program: "", keepsStatements: false } : found;
const skip = "missing" in found ? found.missing : false;
const limits = "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options";
const keeping = "max_prepared_statements";

let cluster: Prepared;
before(async () => {
  if (!skip) cluster = await startShared({ settings: ["log_statement = 'all'"] });
});
beforeEach(() => {
  if (!skip) cluster.empty();
});
after(async () => {
  if (!skip) await cluster.close();
});

async function through(context: TestContext, ...settings: string[]): Promise<Pooler> {
  const pooler = await startPooler(program, cluster, settings);
  context.after(() => pooler.close());
  return pooler;
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(50);
}

function startWorker(context: TestContext, { workspace: cwd, environment: env }: Machine, url: string): ChildProcess {
  const child = spawn(process.execPath, [bin, "worker", "--store", url], { cwd, env, stdio: "ignore" });
  context.after(() => void child.kill("SIGKILL"));
  return child;
}

/** A daemon, a worker that is killed, and commands, all through it. */
async function serves(context: TestContext, pooler: Pooler): Promise<void> {
  const [one, other] = [makeMachine(context), makeMachine(context)];
  const url = pooler.url();
  const log = join(one.folder, "log");
  const said = (line: string): number =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .filter((text) => text === line).length
      : 0;
  const connection = openConnection({ url });
  context.after(() => connection.close());
  const work = createSharedWork({ connection });
  const itemFor = (name: string, command: string): Item => {
    const step = { uses: "context_shell", with: { command }, timeout: 300, onError: "stop" as const };
    return itemOf(durableHook(name, [step]), name, { cwd: one.workspace });
  };
  const over = async (item: Item): Promise<Run> => {
    for (;;) {
      const run = (await work.left([item.run])).get(item.run.id);
      if (run) return run;
      await pause(50);
    }
  };

  const worker = startWorker(context, one, url);
  const cut = itemFor("cut", `echo cut >> ${log}; [ $(grep -c '^cut$' ${log}) -gt 1 ] || sleep 300`);
  await work.add(cut);
  await until(() => said("cut") === 1);
  worker.kill("SIGKILL");
  mkdirSync(join(other.workspace, ".hookline", "automations"), { recursive: true });
  writeFileSync(
    join(other.workspace, ".hookline", "automations", "remember.yaml"),
    `name: Remember\ntrigger: { type: event, event_type: deploy.done }\ncontext_steps:\n  - { type: shell, command: "echo automation >> ${log}" }\n`,
  );
  const daemon = await other.up("--store", url);
  assert.equal((await over(cut)).status, "completed", "the daemon took it up");
  assert.equal(said("cut"), 2);
  assert.equal(other.run("emit", "deploy.done").status, 0);
  await until(() => said("automation") === 1);
  const endless = itemFor("endless", `echo endless >> ${log}; sleep 300`);
  await work.add(endless);
  await until(() => said("endless") === 1);
  await work.cancel(endless.run.id);
  assert.equal((await over(endless)).status, "cancelled");
  await until(() => cluster.sql("select count(*) from hookline.run where status = 'completed'", database) === "2");
  const runs = (store: string): string => other.run("runs", "--all", "--json", "--store", store).stdout;
  assert.equal(runs(url), runs(cluster.store));
  const [look] = JSON.parse(other.run("doctor", "--json", "--store", cluster.store).stdout).filter(
    ({ finding }: { finding: string }) => finding === "daemon-without-postgres",
  );
  assert.ok(look, "the daemon works with the pooler's address");
  assert.equal(
    daemon.stderr().replaceAll(/.*\n/g, (line) => (/cannot|failed|error/i.test(line) ? line : "")),
    "",
  );
  await daemon.end();
  assert.equal(other.run("store", "move", "--to", url).status, 0);
}

test("daemons, workers and commands work through a pooler that keeps no prepared statements", {
  skip,
}, async (context) => {
  const off = keepsStatements ? [`${keeping} = 0`] : [];
  await serves(context, await through(context, limits, "default_pool_size = 3", ...off));
});

test("daemons, workers and commands work through a pooler that keeps prepared statements, and use these", {
  skip: skip || (keepsStatements ? false : "this PgBouncer keeps no prepared statements: 1.21 does"),
}, async (context) => {
  await serves(context, await through(context, limits, "default_pool_size = 3", `${keeping} = 200`));
  assert.match(readFileSync(join(cluster.folder, "log"), "utf8"), /execute PGBOUNCER_\d+:/);
});

test("a process behind a pooler never runs what another one has prepared", { skip }, async (context) => {
  const pooler = await through(
    context,
    limits,
    "default_pool_size = 2",
    ...(keepsStatements ? [`${keeping} = 0`] : []),
  );
  const open = () => {
    const connection = openConnection({ url: pooler.url(), prepares: true });
    context.after(() => connection.close());
    return connection;
  };
  const [one, other, third] = [open(), open(), open()];
  const ask = async ({ read }: Pick<typeof one, "read">, text: string): Promise<string | undefined> =>
    (await read<{ said: string }>(`select '${text}' as said`))[0]?.said;
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const held = one.transaction({ again: false }, async (read) => {
    await ask({ read }, "of one");
    asked.resolve();
    await gate.promise;
  });
  await asked.promise;
  assert.equal(await ask(other, "of the other"), "of the other"); // on the second connection of the server
  gate.resolve();
  await held;
  await third.transaction({ again: false }, async (read) => {
    await ask({ read }, "of the third");
    assert.equal(await ask(one, "of one"), "of one");
  });
});

test("a pooler that does not take the limits of time is named with the setting that lets it", {
  skip,
}, async (context) => {
  const pooler = await through(context);
  const { status, stderr } = makeMachine(context).run("worker", "--store", pooler.url());
  assert.equal(status, 3);
  assert.match(
    stderr,
    /the pooler before it does not take limits of time .* set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options there/,
  );
});
