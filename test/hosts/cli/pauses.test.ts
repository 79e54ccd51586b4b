/** What comes during a pause: each event is recorded with the reason, none runs later, and resume says how many there were. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../world.ts";

test("events that come during a pause are skipped runs, and resume says how many came and that none runs now", (t) => {
  const here = world(t, {
    "workspace/.hookline/automations/a.yaml":
      "name: notes\ntrigger: { type: event, event_type: order.made, skip_llm: true }\ncooldown_seconds: 0\ncontext_steps:\n  - { type: shell, command: 'true' }\n",
  });
  const hookline = (...words: string[]): string => {
    const { stdout, stderr } = here.hookline(...words);
    return stdout + stderr;
  };
  hookline("pause");
  for (let time = 0; time < 3; time += 1)
    assert.match(hookline("emit", "order.made"), /does not run for this event later/);
  assert.match(hookline("resume"), /runs again\n3 events came during the pause, and no automation runs for them now: /);
  const runs = here.json("runs", "--status", "skipped");
  assert.equal(runs.length, 3);
  hookline("pause");
  hookline("emit", "order.made");
  assert.match(hookline("resume"), /runs again\n1 event came during the pause/, "earlier pauses are not counted");
  hookline("pause");
  assert.doesNotMatch(hookline("resume"), /came during the pause/);
});
