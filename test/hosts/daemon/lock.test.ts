/** One daemon for each store. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { takeLock } from "../../../src/hosts/daemon/lock.ts";
import { daemonFilesOf, removeState, runningDaemon, writeState } from "../../../src/hosts/daemon/state-file.ts";
import { ownerOf } from "../../../src/runtime/system.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("a lock is held by one, and free as soon as that lets go", (t) => {
  const path = join(temporaryFolder(t), "daemon.lock");
  const first = takeLock(path);
  assert.ok(first);
  assert.equal(takeLock(path), undefined);
  first.release();
  first.release();
  const second = takeLock(path);
  assert.ok(second);
  second.release();
});

test("a lock that is a link is not followed", (t) => {
  const folder = temporaryFolder(t);
  symlinkSync(join(folder, "elsewhere"), join(folder, "daemon.lock"));
  assert.throws(() => takeLock(join(folder, "daemon.lock")), /symbolic link/);
});

test("[X8] a state counts while its very process lives, and is taken away by that one alone", (t) => {
  const folder = temporaryFolder(t);
  const files = daemonFilesOf(join(folder, "hookline.db"));
  assert.notEqual(daemonFilesOf(join(folder, "elsewhere.db")).state, files.state);
  assert.equal(runningDaemon(files), undefined);
  const state = {
    pid: process.pid,
    owner: ownerOf(process.pid),
    phase: "up" as const,
    port: 1,
    token: "t",
    started: 1,
    version: "1",
    store: "",
  };
  writeState(files.state, state);
  assert.deepEqual(runningDaemon(files), state);
  removeState(files.state, { owner: "1:1" });
  assert.deepEqual(runningDaemon(files), state);
  writeState(files.state, { ...state, owner: `${process.pid}:1` }); // an earlier process had this id
  assert.equal(runningDaemon(files), undefined);
  writeState(files.state, state);
  removeState(files.state, state);
  assert.equal(runningDaemon(files), undefined);
});
