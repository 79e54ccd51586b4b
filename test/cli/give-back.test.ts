import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { giveBackAtRest } from "../../src/cli/give-back.ts";
import type { Observation } from "../../src/core/ports.ts";

/** What a busy time leaves behind: reached by nobody, and not yet collected. */
function litter(): { left: WeakRef<object>[] } {
  return { left: Array.from({ length: 100 }, (_, index) => new WeakRef({ text: "x".repeat(10_000) + index })) };
}

const event = { is: "event" } as Observation; // nothing else of it is looked at

test("what a busy time has left behind is collected once nobody has told of anything for three seconds", async () => {
  let hear: (seen: Observation) => void = () => {};
  let isDeaf = false;
  let quiet = 0;
  const undo = giveBackAtRest({
    listen(ear) {
      hear = ear;
      return () => {
        isDeaf = true;
      };
    },
    quietFor: () => quiet,
  });
  const { left } = litter();
  for (let index = 0; index < 1_000; index++) hear(event);
  quiet = 3_000;
  for (let tries = 0; tries < 60 && left.some((one) => one.deref()); tries++) await pause(100);
  assert.deepEqual(
    left.filter((one) => one.deref()),
    [],
  );
  undo();
  assert.ok(isDeaf);
});
