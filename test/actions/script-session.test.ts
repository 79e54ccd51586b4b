/** Session scripts on the real line: their order, what they are given, and as whom they run. */
import assert from "node:assert/strict";
import { chmodSync, chownSync, existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { outputOf, PATH, type ScriptWorld, scriptWorld } from "./script/script-world.ts";

const start = { data: { source: "startup" } };
const isRoot = process.geteuid?.() === 0;
const summary = (world: ScriptWorld): string[] =>
  world.logs.flatMap(({ message }) => (message.startsWith("session scripts") ? [message] : []));

test("[E10, E13, E15, E16] they run once per session, in order, in the workspace, and their output is kept", async (t) => {
  const world = scriptWorld(t, [
    { type: "session", file: ".hookline/hooks/a.sh", does: "pwd; echo a >> order" },
    { type: "session", file: ".hookline/hooks/b.sh", does: "echo b >> order" },
  ]);
  assert.deepEqual(await world.emit("SessionStart", start), {});
  await world.emit("SessionStart", { data: { source: "resume" } });
  assert.equal(world.read("order"), "a\nb\n");
  assert.equal(world.log("a"), `${world.root}\n`);
  await world.emit("SessionStart", { ...start, session: "s2" });
  assert.equal(world.read("order"), "a\nb\na\nb\n");
});

test("[E18, E19] a failure is logged and the session continues; in the end the log says how many ran and failed", async (t) => {
  const world = scriptWorld(t, [
    { type: "session", name: "Install deps", does: "echo no network; exit 7" },
    { type: "session", does: "touch second" },
    { type: "session", does: "touch third", mode: "async" },
  ]);
  assert.deepEqual(await world.emit("SessionStart", start), {});
  assert.ok(existsSync(join(world.root, "second")));
  const [failure] = world.logs;
  assert.deepEqual([failure?.level, failure?.message], ["error", "Install deps failed: exit 7: no network"]);
  assert.deepEqual(summary(world), ["session scripts: 2 ran, 1 failed (Install deps), and 1 more in the background"]);
  await world.engine.close();
  assert.ok(existsSync(join(world.root, "third")));
  assert.equal(world.status().hooks["2-script"]?.lastResult, "success", "what ran in the background has a status too");
  assert.equal((await world.lastRun(0)).status, "failed");
});

test("[E19] where no session script ran, nothing is summed up", async (t) => {
  const world = scriptWorld(t, [
    { type: "session", does: "true" },
    { type: "file", does: "true" },
  ]);
  await world.emit("SessionStart", start);
  await world.emit("SessionStart", start);
  await world.emit("Stop");
  assert.deepEqual(summary(world), ["session scripts: 1 ran, 0 failed"]);
});

test("[E20] their environment: session, workspace and type under both names, home, user, and what the sender has", async (t) => {
  const world = scriptWorld(t, [{ type: "session", does: "env > seen" }]);
  const environment = { PATH, HOME: world.home, USER: "somebody", https_proxy: "http://proxy:1" };
  await world.emit("SessionStart", { ...start, caller: { environment } });
  const seen = world.read("seen").split("\n");
  for (const prefix of ["HOOKLINE", "DISCOBOT"])
    for (const line of ["SESSION_ID=s1", `WORKSPACE=${world.root}`, "HOOK_TYPE=session"])
      assert.ok(seen.includes(`${prefix}_${line}`), line);
  for (const line of [`HOME=${world.home}`, "USER=somebody", "https_proxy=http://proxy:1"])
    assert.ok(seen.includes(line), line);
  assert.ok(!seen.some((line) => /^(HOOKLINE|DISCOBOT)_CHANGED_FILES/.test(line)));
});

test("[E20] home and user are there where the sender says neither", async (t) => {
  const world = scriptWorld(t, [{ type: "session", does: 'echo "$HOME|$USER"' }]);
  await world.emit("SessionStart", { ...start, caller: { environment: { PATH } } });
  assert.match(world.log("0-script"), /^\/.*\|.+\n$/);
});

test("[E17] a session script that outlives its limit is ended, and the session continues", async (t) => {
  const world = scriptWorld(t, [
    { type: "session", does: "sleep 60", with: { limit: 0.2 } },
    { type: "session", does: "touch second" },
  ]);
  await world.emit("SessionStart", start);
  const run = await world.lastRun(0);
  assert.deepEqual([run.status, outputOf(run).exitCode], ["timeout", 124]);
  assert.ok(existsSync(join(world.root, "second")));
});

/** A workspace that everybody may enter. */
function open(world: ScriptWorld): void {
  for (const folder of [dirname(world.root), world.root]) chmodSync(folder, 0o755);
}
const identity = 'id -u; id -g; id -G; echo "$HOME|$USER|$LOGNAME"';
const nobody = 65_534;

test("[E14, R32] run_as: root keeps root and its home, where Hookline is root", {
  skip: !isRoot && "only root can",
}, async (t) => {
  const world = scriptWorld(t, [{ type: "session", does: identity, with: { run_as: "root" } }]);
  open(world);
  const environment = { PATH, HOME: "/home/me", USER: "me", SUDO_UID: String(nobody) };
  await world.emit("SessionStart", { ...start, caller: { environment } });
  assert.equal(world.log("0-script"), "0\n0\n0\n/root|root|root\n");
});

test("[E14, R68] the user who called sudo runs the others, without root's groups", {
  skip: !isRoot && "only root can",
}, async (t) => {
  const world = scriptWorld(t, [{ type: "session", does: identity }]);
  open(world);
  const environment = { PATH, HOME: "/root", USER: "root", SUDO_UID: String(nobody), SUDO_GID: String(nobody) };
  await world.emit("SessionStart", { ...start, caller: { environment } });
  assert.match(world.log("0-script"), /^65534\n65534\n65534\n\/[^|]*\|nobody\|nobody\n$/);
  assert.deepEqual((await world.lastRun()).notes, []);
});

test("[R68] otherwise it is the owner of the workspace", { skip: !isRoot && "only root can" }, async (t) => {
  const world = scriptWorld(t, [{ type: "session", does: `${identity}; touch mine` }]);
  open(world);
  chownSync(world.root, 12_345, 23_456);
  await world.emit("SessionStart", start);
  assert.equal(world.log("0-script"), "12345\n23456\n23456\n/|12345|12345\n");
  assert.deepEqual((await world.lastRun()).notes, ["the user 12345 has no account here, so HOME is /"]);
});

test("[R68] else root, with a note", { skip: !isRoot && "only root can" }, async (t) => {
  const world = scriptWorld(t, [{ type: "session", does: "id -u" }]);
  await world.emit("SessionStart", { ...start, caller: { environment: { PATH, SUDO_UID: "0" } } });
  assert.equal(world.log("0-script"), "0\n");
  assert.match((await world.lastRun()).notes.join(), /^run as root: /);
});

test("[R32, R68] file and pre-commit scripts run as Hookline does", { skip: !isRoot && "only root can" }, async (t) => {
  const world = scriptWorld(t, [{ does: "id -u" }]);
  writeFileSync(join(world.root, "a.go"), "");
  await world.stop(["a.go"], { caller: { environment: { PATH, SUDO_UID: String(nobody) } } });
  assert.equal(world.log("0-script"), "0\n");
});
