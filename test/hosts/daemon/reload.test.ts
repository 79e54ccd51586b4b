/** hook_engine in the settings, changed while the daemon runs. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Hosted, hosted } from "./hosted.ts";
import { automation, placeFor, until } from "./started.ts";

const onBuild = "type: event, event_type: build.finished";
const settings = "workspace/hookline.yaml";

const engineOf = async (daemon: Hosted): Promise<Record<string, unknown>> => (await daemon.call("/status")).body.engine;
/** Waits until the settings are in force. */
async function inForce(daemon: Hosted, key: string, value: unknown): Promise<void> {
  await until(async () => (await engineOf(daemon))[key] === value, `${key} is ${value}`);
}

test("[A53, AT39] without settings the specified defaults hold, and every one follows its file", async (t) => {
  const place = placeFor(t);
  const daemon = await hosted(place);
  const defaults = {
    enabled: true,
    max_concurrent_hooks: 2,
    file_watcher_enabled: true,
    file_watcher_poll_interval: 10,
    file_watcher_debounce_seconds: 5,
  };
  assert.deepEqual(await engineOf(daemon), defaults);
  place.write(settings, "hook_engine:\n  max_concurrent_hooks: 3\n  file_watcher_poll_interval: 1.5\n");
  await inForce(daemon, "max_concurrent_hooks", 3);
  assert.equal((await engineOf(daemon)).file_watcher_poll_interval, 1.5);
  place.write(settings, "hook_engine:\n  max_concurrent_hooks: many\n  file_watcher_debounce_seconds: 1\n");
  await inForce(daemon, "file_watcher_debounce_seconds", 1);
  assert.equal((await engineOf(daemon)).max_concurrent_hooks, 2); // a bad value is a finding, and the default holds
  assert.match(place.hookline("check").stdout, /hookline\.yaml:2:25 error wrong-type/);
  rmSync(join(place.folder, settings));
  await inForce(daemon, "file_watcher_debounce_seconds", 5);
});

test("[A51, AT39] without the watcher nothing is watched, and it comes back with its setting", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/watch.yaml": automation(
      "Watch",
      "type: event, event_type: file.changed, watch: { paths: [notes.md] }",
      "true",
    ),
  });
  const watches = async (daemon: Hosted): Promise<number> => (await daemon.call("/status")).body.watches.length;
  const daemon = await hosted(place);
  assert.equal(await watches(daemon), 1);
  place.write(settings, "hook_engine: { file_watcher_enabled: false }\n");
  await until(async () => (await watches(daemon)) === 0, "no watch");
  place.write(settings, "hook_engine: { file_watcher_enabled: true }\n");
  await until(async () => (await watches(daemon)) === 1, "one watch");
});

test("[A53] enabled: false: no automation runs and each says why, while guards are not touched", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/a.yaml": automation("Built", onBuild, "true"),
    [settings]: "hook_engine: { enabled: false }\n",
    "workspace/.claude/settings.json": JSON.stringify({
      hooks: { "build.finished": [{ hooks: [{ type: "command", command: "true", role: "guard" }] }] },
    }),
  });
  const daemon = await hosted(place);
  const { body } = await daemon.emit("build.finished");
  const runs = new Map(body.runs.map((run: { hook: string }) => [run.hook.split(":")[0], run]));
  const { status, reason } = runs.get("automation") as { status: string; reason: string };
  assert.deepEqual([status, reason], ["skipped", "disabled: hook_engine.enabled is false"]);
  assert.equal((runs.get("settings") as { status: string }).status, "completed");
  place.write(settings, "hook_engine: { enabled: true }\n");
  await inForce(daemon, "enabled", true);
  await daemon.emit("build.finished");
  await until(
    () => place.runs().some((run) => run.hook.startsWith("automation") && run.status === "completed"),
    "it ran",
  );
});

test("[A53] the cap holds, and follows its setting", async (t) => {
  const names = ["one", "two", "three"];
  const place = placeFor(t, {
    ...Object.fromEntries(
      names.map((name) => [
        `workspace/.hookline/automations/${name}.yaml`,
        automation(name, onBuild, "until test -e go; do sleep 0.2; done"),
      ]),
    ),
    [settings]: "hook_engine: { max_concurrent_hooks: 1 }\n",
  });
  const daemon = await hosted(place);
  await daemon.emit("build.finished");
  const queue = async (): Promise<string> => JSON.stringify((await daemon.call("/status")).body.queue);
  await until(async () => (await queue()) === '{"waiting":2,"running":1,"handedOver":0}', "one runs");
  place.write(settings, "hook_engine: { max_concurrent_hooks: 2 }\n");
  await until(async () => (await queue()) === '{"waiting":1,"running":2,"handedOver":0}', "two run");
  place.write("workspace/go", "");
  await until(async () => (await queue()) === '{"waiting":0,"running":0,"handedOver":0}', "all have run");
});

test("[A53] without a daemon the switch holds as well, but not for a person", (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/a.yaml": automation("Built", onBuild, "true"),
    [settings]: "hook_engine: { enabled: false }\n",
  });
  const [run] = JSON.parse(place.hookline("emit", "build.finished", "--json").stdout).runs;
  assert.deepEqual([run.status, run.reason], ["skipped", "disabled: hook_engine.enabled is false"]);
  assert.equal(place.hookline("automation", "fire", "built").status, 0);
  assert.equal(place.runs()[0]?.status, "completed");
});
