import assert from "node:assert/strict";
import test from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import { compile, only, written } from "../registry-helpers.ts";
import { lineOf } from "../rules-helpers.ts";

const answering = (id: string, result: object, event = "UserPromptSubmit"): Hook =>
  only(
    compile(
      written({
        id,
        event_type: event,
        handler: JSON.stringify({ kind: "script", command: `echo '${JSON.stringify(result)}'` }),
      }),
      {},
      { root: "/" },
    ),
  );

test("[B8, B36a] what several hooks answer is joined in their order, and the last intent wins", async (t) => {
  const line = lineOf(t, {
    hooks: [
      answering("a", {
        suggested_abilities: [{ id: "one", reason: "r" }],
        messages_to_user: ["m1"],
        new_intent: { intent: "first" },
      }),
      answering("b", {
        suggested_abilities: [{ id: "two", reason: "r" }],
        messages_to_user: ["m2"],
        new_intent: { intent: "second" },
      }),
    ],
  });
  const outcome = await line.emit("UserPromptSubmit", { prompt: "go" });
  assert.deepEqual(
    outcome.suggestions?.map(({ id }) => id),
    ["one", "two"],
  );
  assert.deepEqual(
    outcome.messages?.map(({ text }) => text),
    ["m1", "m2"],
  );
  assert.deepEqual(outcome.intent, { intent: "second" });
});

test("[B7] an event that no hook listens to continues", async (t) => {
  const line = lineOf(t, { hooks: [answering("a", { error: "blocked" }, "SessionStop")] });
  assert.deepEqual(await line.emit("PreToolUse", { tool_name: "x", tool_input: {} }), {});
});

test("[B35, R39] SessionStop can be denied, and the prompt is not blocked by an error", async (t) => {
  const result = { error: "blocked_by_policy", messages_to_user: ["not yet"] };
  const line = lineOf(t, {
    hooks: [answering("stop", result, "SessionStop"), answering("prompt", result, "UserPromptSubmit")],
  });
  const stopped = await line.emit("SessionStop");
  assert.deepEqual([stopped.verdict?.is, stopped.verdict?.reason], ["deny", "not yet"]);
  const prompted = await line.emit("UserPromptSubmit", { prompt: "go" });
  assert.equal(prompted.verdict, undefined);
  assert.deepEqual(prompted.messages, [{ to: "person", text: "not yet" }]);
});
