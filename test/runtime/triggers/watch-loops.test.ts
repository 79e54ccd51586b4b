/** When a watch counts as fed by runs; test/hosts/daemon/watch-loops.test.ts has real files and programs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookEvent } from "../../../src/engine/event.ts";
import type { Run } from "../../../src/engine/record.ts";
import { createWatchLoops } from "../../../src/runtime/triggers/watch-loops.ts";

/** A watch sees a change, and its hook's run takes a moment; gives why the run is left out, if it is. */
function watching() {
  let clock = 0;
  let count = 0;
  const loops = createWatchLoops({ now: () => clock });
  return {
    later: (milliseconds: number): void => void (clock += milliseconds),
    changed(hook: string): string | undefined {
      const id = `e${++count}`;
      const event: HookEvent = { id, name: "file.changed", at: clock, cwd: "/", data: { path: hook }, sender: "watch" };
      const { to } = loops.counted({ ...event, to: { hook } }, clock, 0);
      if (to?.instead) return to.instead.because;
      const run: Run = {
        ...{ id: `r${count}`, hook, hookName: hook, eventId: id, eventName: event.name, cause: "event:file.changed" },
        ...{ status: "running", startedAt: clock, steps: [], notes: [], asked: 1 },
      };
      loops.observe({ is: "run", run });
      clock += 100;
      loops.observe({ is: "run", run: { ...run, status: "completed" } });
      return undefined;
    },
  };
}

test("two watches that feed each other stop after ten rounds with a failure that names both, and hear of a later change", () => {
  const { changed, later } = watching();
  for (let round = 0; round < 10; round++) assert.equal(changed(round % 2 === 0 ? "Ping" : "Pong"), undefined);
  assert.match(changed("Ping") ?? "", /^a loop: "Ping" and "Pong" set each other off: Ping was changed during each of/);
  later(10_000);
  assert.equal(changed("Ping"), undefined);
});

test("changes that no run has made are heard however many they are", () => {
  const { changed, later } = watching();
  for (let round = 0; round < 20; round++) {
    assert.equal(changed("Ping"), undefined);
    later(10_000);
  }
});
