import assert from "node:assert/strict";
import { test } from "node:test";
import { writtenName } from "../../../../src/actions/command/protocols/endings.ts";
import type { Hook } from "../../../../src/engine/hook.ts";
import { eventOf, inputOf } from "./asking.ts";

test("[C55, CT17] the base fields come first, and what the agent sent passes through", () => {
  const data = {
    permission_mode: "plan",
    transcript_path: "/t",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    new_field: [1],
  };
  const written = JSON.parse(inputOf(eventOf("PermissionDenied", data), "PermissionDenied"));
  assert.deepEqual(Object.keys(written).slice(0, 3), ["session_id", "cwd", "hook_event_name"]);
  assert.deepEqual(written, { session_id: "session-1", cwd: "/project", hook_event_name: "PermissionDenied", ...data });
});

test("[C55] a payload cannot replace the base fields", () => {
  const written = JSON.parse(inputOf(eventOf("Stop", { cwd: "/elsewhere", hook_event_name: "x" }), "Stop"));
  assert.equal(written.cwd, "/project");
  assert.equal(written.hook_event_name, "Stop");
});

test("[R62] the event has the name that the hook's author wrote", () => {
  const hook = { on: { event: ["PreToolUse", "Stop"], as: ["tool_start", "Stop"] } } as unknown as Hook; // all that is read of it
  assert.equal(writtenName(hook, "PreToolUse"), "tool_start");
  assert.equal(writtenName(hook, "Stop"), "Stop");
  assert.equal(writtenName(hook, "SessionEnd"), "SessionEnd");
});

test("[C55] what happened inside a subagent says so", () => {
  const event = { ...eventOf("PreToolUse"), agent: { id: "a-1", type: "Explore" } };
  const written = JSON.parse(inputOf(event, "PreToolUse"));
  assert.equal(written.agent_id, "a-1");
  assert.equal(written.agent_type, "Explore");
});
