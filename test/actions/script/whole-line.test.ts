/** Scripts as people write them, through the command that agents call and through the library: everything is wired. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../runtime/processes/running.ts";
import { appears, placeWith } from "./script-place.ts";

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
