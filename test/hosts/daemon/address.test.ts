/** Where clients find a daemon. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { freeSocketPlace, socketPath } from "../../../src/hosts/daemon/lock.ts";
import { hasDaemon, readAddress, removeAddress, writeAddress } from "../../../src/hosts/daemon/state-file.ts";
import { readEntry } from "../../../src/runtime/processes/process-table.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const address = {
  port: 4665,
  token: "t-o_k",
  proof: "p",
  pid: process.pid,
  version: "1.0.0+a",
  socket: "/a folder/d.sock",
};
const started = readEntry(process.pid)?.startedAt ?? 0;

test("an address is one private line, read back as it was written, and taken away by its own process alone", (t) => {
  const file = join(temporaryFolder(t), "daemon.address");
  assert.equal(readAddress(file), undefined);
  writeAddress(file, address);
  assert.equal(readFileSync(file, "utf8"), `4665 t-o_k p ${process.pid} ${started} 1.0.0+a /a folder/d.sock\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readAddress(file), { ...address, started });
  writeAddress(file, { ...address, socket: "" });
  assert.deepEqual(readAddress(file), { ...address, started, socket: "" });
  removeAddress(file, { pid: process.pid + 1 });
  assert.ok(readAddress(file));
  removeAddress(file, { pid: process.pid });
  assert.equal(readAddress(file), undefined);
});

test("an address that others could have written, a link and half a line are none", (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "daemon.address");
  writeAddress(file, address);
  chmodSync(file, 0o644);
  assert.equal(readAddress(file), undefined);
  chmodSync(file, 0o600);
  symlinkSync(file, join(folder, "link"));
  assert.equal(readAddress(join(folder, "link")), undefined);
  writeFileSync(file, "4665 t p 7 24 1.0.0");
  assert.equal(readAddress(file), undefined);
});

test("[T32] a daemon gets events only while it is known to be the process that wrote the address", async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o700);
  const own = { ...address, started, socket: join(folder, "d.sock") };
  assert.ok(hasDaemon(own));
  if (started !== 0) {
    assert.ok(!hasDaemon({ ...own, started: started - 1 }), "a later process has its number");
    assert.ok(!hasDaemon({ ...own, pid: 2 ** 22 + 1 }), "it is gone");
  }
  if (process.getuid?.() === 0 && started !== 0) {
    const other = spawn("/bin/sleep", ["60"], { stdio: "ignore", uid: 65_534 });
    t.after(() => other.kill("SIGKILL"));
    const pid = other.pid ?? 0;
    assert.ok(!hasDaemon({ ...own, pid, started: readEntry(pid)?.startedAt ?? 0 }), "it is another user's");
  }
  const unknown = { ...own, started: 0 }; // where the system does not say since when a process lives
  assert.ok(hasDaemon(unknown), "nobody else can have made the socket");
  assert.ok(!hasDaemon({ ...unknown, socket: "" }), "anybody may have the port");
  chmodSync(folder, 0o777);
  assert.ok(!hasDaemon(unknown), "anybody may have made the socket");
});

test("the socket is next to the store; if that path is too long, it is in a private folder, another one for each store", (t) => {
  const folder = temporaryFolder(t);
  const beside = join(folder, "daemon.sock");
  assert.equal(socketPath(beside, {}), beside);
  const long = (name: string): string => join(folder, "x".repeat(100), name);
  const runtime = join(folder, "run");
  mkdirSync(runtime);
  const [one, other] = [long("a.sock"), long("b.sock")].map((path) => socketPath(path, { XDG_RUNTIME_DIR: runtime }));
  assert.ok(one?.startsWith(`${runtime}/hookline-`) && Buffer.byteLength(one) <= 100, one);
  assert.notEqual(one, other);
  freeSocketPlace(one ?? "", long("a.sock"));
  assert.equal(statSync(join(one ?? "", "..")).mode & 0o777, 0o700);
  chmodSync(join(one ?? "", ".."), 0o777);
  assert.throws(() => freeSocketPlace(one ?? "", long("a.sock")), /others may write to it/);
});

test("a socket that a dead daemon left is replaced, and nothing else is", async (t) => {
  const path = join(temporaryFolder(t), "daemon.sock");
  const server = createServer().listen(path);
  t.after(() => server.close());
  await once(server, "listening");
  freeSocketPlace(path, path);
  assert.throws(() => statSync(path), /ENOENT/);
  writeFileSync(path, "a file");
  assert.throws(() => freeSocketPlace(path, path), /it is no socket/);
  assert.equal(readFileSync(path, "utf8"), "a file");
});
