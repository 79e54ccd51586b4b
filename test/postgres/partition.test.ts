import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { temporaryFolder } from "../temporary-folder.ts";
import { makeAuthority, placeCertificate } from "./certificates.ts";
import { makeMachine } from "./machine.ts";
import { database, startPrepared } from "./prepared.ts";

const ip = (...words: string[]): boolean => spawnSync("ip", words).status === 0;

test("a machine that a network has cut off from Postgres decides as before, and brings its rows when it is joined again", {
  timeout: 240_000,
}, async (context) => {
  const [space, here, there] = [`hookline${process.pid}`, `hl${process.pid}a`, `hl${process.pid}b`];
  context.after(() => {
    ip("netns", "del", space); // its link goes with it
  });
  const third = process.pid % 250;
  const address = `10.213.${third}.1`;
  const isMade =
    ip("netns", "add", space) &&
    ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", space) &&
    ip("addr", "add", `${address}/30`, "dev", here) &&
    ip("link", "set", here, "up") &&
    ip("-n", space, "addr", "add", `10.213.${third}.2/30`, "dev", there) &&
    ip("-n", space, "link", "set", there, "up") &&
    ip("-n", space, "link", "set", "lo", "up");
  if (!isMade) return context.skip("network namespaces cannot be made here");
  const folder = temporaryFolder(context);
  makeAuthority(folder, "ours");
  const cluster = await startPrepared({ settings: [`listen_addresses = '127.0.0.1,${address}'`] });
  context.after(() => cluster.close());
  placeCertificate(cluster, folder, { authority: "ours", name: `IP:${address}` });
  appendFileSync(join(cluster.folder, "data", "pg_hba.conf"), `hostssl all all 10.213.${third}.0/30 scram-sha-256\n`);
  cluster.sql("alter system set ssl = on");
  cluster.sql("select pg_reload_conf()");

  const machine = makeMachine(context, ["ip", "netns", "exec", space]);
  const store = `${cluster.store.replace("127.0.0.1", address)}?sslmode=verify-full&sslrootcert=${join(folder, "ours.crt")}`;
  const daemon = await machine.up("--store", store);
  const count = (): number => Number(cluster.sql("select count(*) from hookline.event", database));
  assert.match(machine.hook("rm x").stdout, /nothing is removed here/);
  while (count() < 1) await pause(50);
  ip("link", "set", here, "down");
  for (const command of ["rm y", "rm z"]) assert.match(machine.hook(command).stdout, /nothing is removed here/);
  while (!/what happens waits/.test(daemon.stderr())) await pause(50);
  assert.match(machine.hook("rm z").stdout, /nothing is removed here/);
  assert.equal(count(), 1);
  ip("link", "set", here, "up");
  while (count() < 4) await pause(50);
  await daemon.end();
});
