import assert from "node:assert/strict";
import test from "node:test";
import { type Flow, go, wait } from "../../src/engine/flow.ts";

test("work without promises is done when go returns", () => {
  function* sum(): Flow<number> {
    return (yield* wait(1)) + (yield* wait(2));
  }
  assert.equal(go(sum()), 3);
});

test("a rejected promise can be caught inside the flow", async () => {
  function* caught(): Flow<string> {
    try {
      return yield* wait(Promise.reject(new Error("no")));
    } catch (error) {
      return error instanceof Error ? error.message : "?";
    }
  }
  assert.equal(await go(caught()), "no");
});

test("what a flow throws after waiting rejects, and before waiting throws", async () => {
  function* late(): Flow<void> {
    yield* wait(Promise.resolve());
    throw new Error("late");
  }
  function* early(): Flow<void> {
    if (Date.now() > 0) throw new Error("early");
    yield Promise.resolve();
  }
  await assert.rejects(async () => go(late()), /late/);
  assert.throws(() => go(early()), /early/);
});
