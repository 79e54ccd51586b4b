/** hookline up, down and status, as a person uses them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAddress } from "../../../src/hosts/daemon/state-file.ts";
import { filesOf } from "./client-started.ts";
import { automation, placeFor, until } from "./started.ts";

const onBuild = "type: event, event_type: build.finished";

test("up says what it watches, status shows it, a second up names it, it survives a mistake that nobody caught, and down leaves nothing", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/nightly.yaml": automation(
      "Nightly",
      "type: cron, cron: '0 3 * * *', zone: Europe/Berlin",
      "true",
    ),
    "workspace/.hookline/automations/broken.yaml": "name: Broken\ntrigger: { type: evnt }\n",
    "home/.config/hookline/config.yaml": "engine: { enabled: true }\n",
  });
  const mistake = 'process.on("SIGUSR2", () => { throw new Error("of the test"); })';
  place.environment.NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(mistake)}`;
  const daemon = await place.up();
  const [due] = daemon.said.due;
  assert.equal(due.hook, "automation:workspace/nightly");
  assert.ok(Date.parse(due.at) > Date.now());
  assert.deepEqual(daemon.said.workspaces, [place.workspace]);
  const state = join(place.state, "daemon.json");
  assert.equal(statSync(state).mode & 0o777, 0o600);
  assert.match(daemon.token, /^[\w-]{43}$/);
  assert.equal(JSON.stringify(daemon.said).includes(daemon.token), false);

  // On a busy machine the daemon may be asked in vain for a moment.
  const told = await until(() => {
    const said = JSON.parse(place.hookline("status", "--json").stdout);
    return said.daemon?.due ? said : undefined;
  }, "the daemon's answer");
  assert.equal(told.daemon.pid, daemon.child.pid);
  assert.equal(told.daemon.due[0].hook, due.hook);
  assert.match(JSON.stringify(told.daemon.automations.broken), /evnt/);
  const byRoute = await daemon.call("/operations/status", { method: "POST", body: {} });
  assert.equal(byRoute.body.daemon.pid, daemon.child.pid);
  assert.deepEqual(Object.keys(byRoute.body), Object.keys(told));
  const { stdout } = place.hookline("status");
  assert.match(stdout, /daemon +http:\/\/127\.0\.0\.1:\d+/);
  assert.match(stdout, /due +automation:workspace\/nightly \d{4}-/);
  assert.match(stdout, /broken +.*config\.yaml: nothing reads "engine"\n +.*broken\.yaml: no trigger/);

  const second = place.hookline("up", "--port", "0");
  assert.equal(second.status, 3);
  const running = `running already: process ${daemon.child.pid} — http://127.0.0.1:${daemon.port}`;
  assert.match(second.stderr, new RegExp(running));

  daemon.child.kill("SIGUSR2");
  const log = join(place.state, "hookline.log");
  const logged = await until(() => (existsSync(log) ? readFileSync(log, "utf8") : undefined), "the line in the log");
  assert.match(logged, /an error that it did not expect, and goes on after: Error: of the test/);
  assert.equal((await daemon.emit("a.b")).status, 200);

  const exit = once(daemon.child, "exit");
  const down = place.hookline("down");
  assert.deepEqual([down.status, (await exit)[0]], [0, 0]);
  assert.match(down.stdout, /has stopped/);
  assert.ok(!existsSync(state));
  assert.equal(JSON.parse(place.hookline("status", "--json").stdout).daemon, null);
  assert.match(place.hookline("down").stdout, /no daemon is running/);
});

test("[X8, AT49] after kill -9 the next daemon takes its place, its socket and its address, and its runs continue", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/slow.yaml": automation(
      "Slow",
      onBuild,
      "echo begun >> log; test -e go || sleep 5",
    ),
  });
  const first = await place.up();
  const files = filesOf(place);
  const before = readAddress(files.address);
  assert.equal(before?.socket, files.socket);
  assert.equal(statSync(files.socket).mode & 0o777, 0o600);
  await first.emit("build.finished");
  await until(() => place.has("workspace/log"), "the step begins");
  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  assert.ok(existsSync(files.socket));
  assert.equal(JSON.parse(place.hookline("status", "--json").stdout).daemon, null);
  place.write("workspace/go", "");
  const second = await place.up();
  const after = readAddress(files.address);
  assert.equal(after?.pid, second.child.pid);
  assert.notEqual(after?.proof, before?.proof);
  const [run] = await until(() => {
    const runs = place.runs();
    return runs[0]?.status === "completed" ? runs : undefined;
  }, "the run ends");
  assert.equal(run?.cause, "event:build.finished");
  assert.equal(place.runs().length, 1);
  assert.equal(place.read("workspace/log"), "begun\nbegun\n");
  assert.equal(await second.stop(), 0);
  for (const file of [files.address, files.socket, files.state]) assert.ok(!existsSync(file), file);
});
