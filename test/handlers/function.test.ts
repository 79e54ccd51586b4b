import assert from "node:assert/strict";
import { test } from "node:test";
import { callbackOf, functionHandler, remove } from "../../src/handlers/function/function.ts";
import { contextOf } from "./context.ts";

test("a callback that is removed is no longer called, also where it was bound before", async () => {
  let calls = 0;
  const callback = callbackOf(() => {
    calls += 1;
    return { deny: "no" };
  });
  const functions = new Map([["one", callback]]);
  const bound = functionHandler(functions).bind?.({ id: "one" });
  assert.ok(bound);
  const context = contextOf();
  const ask = () => bound.read(bound.call(context.event, context), context);
  assert.equal((await ask()).outcome?.verdict?.is, "deny");
  remove(callback, "one");
  functions.delete("one");
  const result = await ask();
  assert.deepEqual(
    [result.ok, !result.ok && result.failure, !result.ok && result.reason],
    [false, "launch", "the callback one has been removed"],
  );
  assert.equal(calls, 1);
});

test("a callback that was removed while it worked is still answered for", async () => {
  const callback = callbackOf(() => Promise.resolve({ ask: "sure?" }));
  const context = contextOf();
  const working = callback.read(callback.call(context.event, context), context);
  remove(callback, "one");
  assert.equal((await working).outcome?.verdict?.is, "ask");
});

test("a callback that was never there is a failed step, not a silent one", async () => {
  const result = await functionHandler(new Map()).run({ id: "gone" }, contextOf());
  assert.equal(!result.ok && result.reason, "the callback gone has been removed");
});
