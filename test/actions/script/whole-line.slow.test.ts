/** Scripts as people write them, through the command that agents call and through the library: everything is wired. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createHookline } from "../../../src/index.ts";
import { isRunning } from "../../runtime/processes/running.ts";
import { appears, placeWith } from "./script-place.ts";

test("[E10, E16, E19, E53] through the command: session scripts before the turn and after it, logs, summary, statuses", async (t) => {
  const place = placeWith(t, {
    ".hookline/hooks/setup.sh": { says: "type: session", does: "echo setting up" },
    ".discobot/hooks/later.sh": { says: "type: session; blocking: false", does: "echo later" },
  });
  place.hook("SessionStart", { source: "startup" });
  assert.equal(readFileSync(join(place.state, "sessions/s1/hooks/output/setup.log"), "utf8"), "setting up\n");
  const log = readFileSync(join(place.state, "hookline.log"), "utf8");
  assert.match(log, /session scripts: 1 ran, 0 failed, and 1 more in the background/);
  const theirs = join(place.home, ".discobot/s1/hooks");
  assert.equal(await appears(join(theirs, "output/later.log")), "later\n");
  while (!JSON.parse(readFileSync(join(theirs, "status.json"), "utf8")).hooks.later) await pause(25);
});

test("[E53, E54] a host that embeds the line gets the same files", async (t) => {
  const place = placeWith(t, {
    ".hookline/hooks/lint.sh": { says: 'type: file; pattern: "*.go"', does: "echo no; exit 2" },
  });
  const line = await createHookline({
    cwd: place.workspace,
    home: place.home,
    environment: { PATH: process.env.PATH ?? "" },
  });
  t.after(() => line.close());
  writeFileSync(join(place.workspace, "a.go"), "");
  const outcome = await line.emit("Stop", { changed_files: ["a.go"] }, { session: "mine" });
  assert.match(outcome.verdict?.reason ?? "", /Exit code: 2/);
  const folder = join(place.state, "sessions/mine/hooks");
  assert.equal(readFileSync(join(folder, "output/lint.log"), "utf8"), "no\n");
  const status = JSON.parse(readFileSync(join(folder, "status.json"), "utf8"));
  assert.deepEqual([status.hooks.lint.lastExitCode, status.pendingHooks], [2, ["lint"]]);
});

test("[E22, E32, E40] through the command: a failure blocks the stop, and the next prompt ends a script that still runs", async (t) => {
  const place = placeWith(t, {
    ".hookline/hooks/slow.sh": {
      says: 'type: file; pattern: "*.go"',
      does: "grep -q fast a.go && exit 1; sleep 60 & echo $! > pid; wait",
    },
  });
  place.hook("SessionStart", { source: "startup" });
  place.hook("UserPromptSubmit", { prompt: "one" });
  writeFileSync(join(place.workspace, "a.go"), "fast");
  const said = JSON.parse(place.hook("Stop"));
  assert.equal(said.decision, "block");
  assert.match(said.reason, /^\[Hookline Hook Failed\] "slow\.sh" \(pattern: \*\.go\)\n\nFiles: a\.go\nExit code: 1\n/);
  writeFileSync(join(place.workspace, "a.go"), "slow");
  const stopping = place.start("Stop");
  const pid = Number(await appears(join(place.workspace, "pid")));
  place.hook("UserPromptSubmit", { prompt: "two" });
  assert.equal(await stopping, "");
  assert.equal(isRunning(pid), false);
  const status = JSON.parse(readFileSync(join(place.state, "sessions/s1/hooks/status.json"), "utf8"));
  assert.deepEqual([status.hooks.slow.runCount, status.pendingHooks], [1, ["slow"]]);
});
