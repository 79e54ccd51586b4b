import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startCluster } from "./cluster.ts";

test("a Postgres of the tests keeps what was committed over an immediate restart, and leaves nothing behind", async () => {
  const cluster = await startCluster();
  cluster.sql("create table kept (n integer); insert into kept values (1)");
  await cluster.restart({ immediate: true });
  const client = new pg.Client({ connectionString: cluster.url() });
  await client.connect();
  assert.deepEqual((await client.query("select n from kept")).rows, [{ n: 1 }]);
  await client.end();
  const standby = await startCluster({ standbyOf: cluster });
  assert.equal(standby.sql("select pg_is_in_recovery()"), "t");
  await standby.close();
  const pid = cluster.pid();
  await cluster.close();
  assert.equal(existsSync(cluster.folder), false);
  assert.throws(() => process.kill(pid, 0));
});

test("a Postgres of the tests ends with the process that started it, even where that is killed", async () => {
  const started = `
    const { startCluster } = await import(${JSON.stringify(join(import.meta.dirname, "cluster.ts"))});
    const cluster = await startCluster();
    console.log(JSON.stringify([cluster.pid(), cluster.folder]));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", started], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [pid, folder]: [number, string] = JSON.parse(String((await child.stdout.take(1).toArray())[0]));
  assert.equal(existsSync(folder), true);
  child.kill("SIGKILL");
  while (existsSync(folder)) await pause(50);
  assert.throws(() => process.kill(pid, 0));
});
