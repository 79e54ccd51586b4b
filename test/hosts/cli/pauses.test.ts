/** What comes during a pause: each event is recorded with the reason, none runs later, and resume says how many there were. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { codeCache, runCommand } from "../../program.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("events that come during a pause are skipped runs, and resume says how many came and that none runs now", (t) => {
  const folder = temporaryFolder(t);
  const cwd = join(folder, "shop");
  mkdirSync(join(cwd, ".hookline", "automations"), { recursive: true });
  mkdirSync(join(folder, "home"));
  writeFileSync(
    join(cwd, ".hookline", "automations", "a.yaml"),
    "name: notes\ntrigger: { type: event, event_type: order.made, skip_llm: true }\ncooldown_seconds: 0\ncontext_steps:\n  - { type: shell, command: 'true' }\n",
  );
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
  };
  const hookline = (...words: string[]): string => {
    const { stdout, stderr } = runCommand(words, { cwd, environment });
    return stdout + stderr;
  };
  hookline("pause");
  for (let time = 0; time < 3; time += 1)
    assert.match(hookline("emit", "order.made"), /does not run for this event later/);
  assert.match(hookline("resume"), /runs again\n3 events came during the pause, and no automation runs for them now: /);
  const runs = JSON.parse(hookline("runs", "--status", "skipped", "--json"));
  assert.equal(runs.length, 3);
  hookline("pause");
  hookline("emit", "order.made");
  assert.match(hookline("resume"), /runs again\n1 event came during the pause/, "earlier pauses are not counted");
  hookline("pause");
  assert.doesNotMatch(hookline("resume"), /came during the pause/);
});
