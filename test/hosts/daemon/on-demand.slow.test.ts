/** As many daemons at once as hooks of a busy session, and people, start; and which makes room for which. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { runningDaemon } from "../../../src/hosts/daemon/state-file.ts";
import { ended, filesOf, isUp, oneIsTheDaemon, placeOf, start } from "./client-started.ts";
import { automation, placeFor, until } from "./started.ts";

test("[X8] of five that clients start at once one is the daemon, and the others end without a word", (t) =>
  oneIsTheDaemon(t, 5));

test("of several that people start at once one is the daemon", async (t) => {
  const place = placeFor(t);
  const starts = await Promise.allSettled([1, 2, 3, 4].map(() => place.up()));
  assert.equal(starts.filter(({ status }) => status === "fulfilled").length, 1);
  for (const start of starts)
    if (start.status === "rejected") assert.match(String(start.reason), /a daemon is running already/);
});

test("a daemon that a client started makes room for one that a person starts, and for none of another client's", async (t) => {
  const place = placeOf(t);
  const own = ended(start(place, "--on-demand"));
  const first = await until(() => isUp(place), "it is up");
  assert.equal(await ended(start(place, "--on-demand")), "0 ");
  assert.equal(isUp(place)?.pid, first.pid);
  const second = await place.up();
  assert.equal(await own, "0 ");
  assert.equal(isUp(place)?.pid, second.child.pid);
  assert.equal(isUp(place)?.onDemand, undefined);
  assert.equal(await ended(start(place, "--on-demand")), "0 ");
  assert.match(place.hookline("up", "--port", "0").stderr, /running already/);
  assert.equal(isUp(place)?.pid, second.child.pid);
});

test("a client's daemon of an older version makes room for a newer client's, and one of a newer version does not", async (t) => {
  const place = placeOf(t);
  const files = filesOf(place);
  const own = ended(start(place, "--on-demand"));
  const first = await until(() => isUp(place), "it is up");
  writeFileSync(files.state, JSON.stringify({ ...first, version: "999.0.0+b" }));
  assert.equal(await ended(start(place, "--on-demand")), "0 ");
  assert.equal(runningDaemon(files)?.pid, first.pid);
  writeFileSync(files.state, JSON.stringify({ ...first, version: "0.0.1+b" }));
  const child = start(place, "--on-demand");
  const next = ended(child);
  assert.equal(await own, "0 ");
  const second = await until(() => isUp(place), "the newer one is up");
  assert.equal(second.pid, child.pid);
  process.kill(second.pid, "SIGTERM");
  assert.equal(await next, "0 ");
});

test("a daemon stays as long as an agent is registered to send events over HTTP, for that could start no other", async (t) => {
  const place = placeOf(t, { "state/hookline/http-token": "the-token-of-an-agents-settings\n" });
  const end = ended(start(place, "--idle-exit", "0.001"));
  await until(() => isUp(place), "it is up");
  const one = await Promise.race([end, place.up().catch((error: unknown) => String(error))]); // some seconds later it is still the one
  assert.match(String(one), /running already/);
  rmSync(join(place.folder, "state", "hookline", "http-token"));
  assert.match(await end, /^0/);
});

test("a daemon of another store does not stay for agents that send events to the usual one over HTTP", async (t) => {
  const place = placeOf(t, { "state/hookline/http-token": "the-token-of-an-agents-settings\n" });
  const other = join(place.folder, "other.db");
  t.after(() => place.hookline("down", "--store", other));
  const child = start(place, "--store", other, "--idle-exit", "0.001");
  const end = ended(child);
  assert.match(await end, /^0/);
});

test("the last uninstall ends the daemon that a client has started, and no other", async (t) => {
  const place = placeOf(t);
  place.hookline("install", "claude-code");
  place.hookline("install", "claude-code", "--layer", "local");
  const own = ended(start(place, "--on-demand"));
  const { pid } = await until(() => isUp(place), "it is up");
  assert.doesNotMatch(place.hookline("uninstall", "claude-code", "--layer", "local").stdout, /has ended/);
  assert.equal(isUp(place)?.pid, pid, "the user's layer needs it");
  const last = place.hookline("uninstall", "claude-code");
  assert.match(last.stdout, new RegExp(`note: the daemon that was started on demand has stopped \\(process ${pid}\\)`));
  assert.equal(await own, "0 ");
  place.hookline("install", "claude-code");
  const asked = await place.up();
  assert.doesNotMatch(place.hookline("uninstall", "claude-code").stdout, /has ended/);
  assert.equal(isUp(place)?.pid, asked.child.pid);
});

test("up --background says why no daemon is up", async (t) => {
  const place = placeOf(t);
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const bound = server.address();
  const taken = place.hookline("up", "--background", "--port", String(typeof bound === "object" ? bound?.port : ""));
  assert.deepEqual([taken.status, /the port cannot be used/.test(taken.stderr)], [3, true]);
  const { child } = await place.up();
  const again = place.hookline("up", "--background", "--port", "0");
  assert.equal(again.status, 3);
  assert.match(again.stderr, new RegExp(`running already: process ${child.pid}`));
});

test("a daemon without events does not end while a clock waits for its time", async (t) => {
  const place = placeOf(t);
  place.write(
    "workspace/.hookline/automations/clock.yaml",
    automation("Clock", "type: periodic, interval_seconds: 3600", "true"),
  );
  const child = start(place, "--idle-exit", "0.001");
  const end = ended(child);
  await until(() => isUp(place), "it is up");
  const one = await Promise.race([end, place.up().catch((error: unknown) => String(error))]); // some seconds later it is still the one
  assert.match(String(one), /running already/);
  child.kill("SIGTERM");
  assert.match(await end, /^0/);
  assert.equal(place.hookline("up", "--idle-exit", "soon").status, 2);
});

test("up --service prints what launchd takes, and refuses what it does not know", (t) => {
  const place = placeFor(t);
  const list = place.hookline("up", "--service", "launchd", "--workspace", join(place.folder, "workspace"));
  assert.match(list.stdout, /^<\?xml[\s\S]*<string>up<\/string>[\s\S]*<\/plist>\n?$/);
  assert.equal(place.hookline("up", "--service", "upstart").status, 2);
});
