import assert from "node:assert/strict";
import { test } from "node:test";
import { callbackOf, functionHandler, remove } from "../../src/actions/function/function.ts";
import { defineHook } from "../../src/hosts/library/definition.ts";
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

test("an answer that holds a word which nothing reads is a failed step, and no permission", async () => {
  for (const [answer, told] of [
    [{ denny: "no" }, /"denny", which nothing reads \(did you mean "deny"\?\)/],
    [{ deny: 1 }, /deny with 1; write true, or the reason/],
    [{ verdict: "deny" }, /"verdict", which nothing reads/],
    [{ deny: "no", reson: "x" }, /"reson", which nothing reads/],
    [{ message: 5 }, /message with 5/],
  ] as const) {
    const callback = callbackOf(() => answer as unknown as undefined); // as a program that no compiler has checked
    const context = contextOf();
    const result = await callback.read(callback.call(context.event, context), context);
    assert.match(result.ok ? "passed" : result.reason, told);
  }
});

test("such answers do not compile", () => {
  const definitions = [
    // @ts-expect-error: nothing is called so
    defineHook({ on: "PreToolUse", run: () => ({ denny: "no" }) }),
    // @ts-expect-error: a reason, or true
    defineHook({ on: "PreToolUse", run: () => ({ deny: 1 }) }),
    // @ts-expect-error: the words are deny, ask and allow
    defineHook({ on: "PreToolUse", run: () => ({ verdict: "deny" }) }),
    defineHook({ on: "PreToolUse", run: () => ({ deny: "no" }) }),
    defineHook({ on: "PreToolUse", run: () => ({ decision: "block", reason: "no" }) }),
  ];
  assert.equal(definitions.length, 5);
});
