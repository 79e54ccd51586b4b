import assert from "node:assert/strict";
import test from "node:test";
import { defineHook } from "../../../src/hosts/library/definition.ts";
import { createHookline } from "../../../src/index.ts";

test("[B3, B4, R62] a host may send events of abilities in the words of specification 001, and every hook gets them", async (t) => {
  const line = await createHookline({ files: false });
  t.after(() => line.close());
  const heard: unknown[] = [];
  line.use(defineHook({ on: "PreToolUse", matcher: "deploy", run: (event) => void heard.push(event.data.tool_input) }));
  line.use(defineHook({ on: "UserPromptSubmit", run: (event) => void heard.push(event.data.prompt) }));
  await line.emit("PreAbilityCall", { ability_id: "deploy", planned_input_summary: "to staging" });
  await line.emit("PreAbilityCall", { ability_id: "other" });
  await line.emit("UserPromptSubmit", { user_message: "hello", prompt: "hello" });
  assert.deepEqual(heard, [{ summary: "to staging" }, "hello"]);
});

test("[B5, R62] PostAbilityCall is a failure where its status says so", async (t) => {
  const line = await createHookline({ files: false });
  t.after(() => line.close());
  const heard: string[] = [];
  line.use(defineHook({ on: "PostToolUse", name: "good", run: () => void heard.push("good") }));
  line.use(defineHook({ on: "PostToolUseFailure", name: "bad", run: ({ data }) => void heard.push(data.error) }));
  await line.emit("PostAbilityCall", { ability_id: "x", status: "success", output_summary: "fine" });
  await line.emit("PostAbilityCall", { ability_id: "x", status: "failure", output_summary: "no" });
  assert.deepEqual(heard, ["good", "no"]);
  const [explained] = await line.explain("PostAbilityCall", { ability_id: "x" });
  assert.equal(explained?.would, "run");
});
