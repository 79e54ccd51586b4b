import assert from "node:assert/strict";
import test from "node:test";
import { firstTurn, type HookEvent } from "../../src/engine/event.ts";
import { advance, agentEventNames, events, eventToEmit, resolveEvent, rowOf } from "../../src/engine/events.ts";

/** Specification 002 and Claude Code 2.1.330: the payload field that a matcher is compared with. */
const matchFields: Record<string, string | undefined> = {
  SessionStart: "source",
  SessionEnd: "reason",
  UserPromptSubmit: undefined,
  PreToolUse: "tool_name",
  PostToolUse: "tool_name",
  PostToolUseFailure: "tool_name",
  PermissionRequest: "tool_name",
  PermissionDenied: "tool_name",
  Stop: undefined,
  StopFailure: "error",
  Notification: "notification_type",
  SubagentStart: "agent_type",
  SubagentStop: "agent_type",
  Setup: "trigger",
  TaskCreated: undefined,
  TaskCompleted: undefined,
  ConfigChange: "source",
  InstructionsLoaded: "load_reason",
  CwdChanged: undefined,
  FileChanged: "file_path",
  PreCompact: "trigger",
  PostCompact: "trigger",
  WorktreeCreate: "name",
  WorktreeRemove: "worktree_path",
};

for (const [name, field] of Object.entries(matchFields)) {
  const [event] = resolveEvent(name) ?? [];
  test(`[C4-C27, C27a, CT2, CT3] a matcher on ${name} is compared with ${field ?? "nothing"}`, () => {
    assert.ok(event);
    assert.equal(rowOf(event).matchOn, field);
  });
}

test("the table holds the 34 events of Claude Code, Interrupt and SessionStop", () => {
  assert.equal(agentEventNames.length, 36);
  assert.ok(agentEventNames.every((name) => !name.includes(".")));
});

test("an event waits for its hooks exactly if it takes an answer", () => {
  for (const name of agentEventNames)
    assert.equal(events[name].mode, events[name].accepts.length > 0 ? "sync" : "async", name);
});

test("aliases of all specifications resolve to events, and one of two by its payload", () => {
  assert.deepEqual(resolveEvent("turn_end"), ["Stop"]);
  assert.deepEqual(resolveEvent("PromptSubmit"), ["UserPromptSubmit"]);
  assert.deepEqual(resolveEvent("tool_end"), ["PostToolUse", "PostToolUseFailure"]);
  assert.equal(eventToEmit("tool_end", { tool_name: "Bash" }), "PostToolUse");
  assert.equal(eventToEmit("tool_end", { tool_name: "Bash", error: "exit 1" }), "PostToolUseFailure");
});

test("[C27b] any name with a dot is an event, any other unknown name is none", () => {
  assert.deepEqual(resolveEvent("deploy.started"), ["deploy.started"]);
  assert.equal(resolveEvent("PreToolUze"), undefined);
  assert.equal(resolveEvent("toString"), undefined);
});

test("a hook that changes the turn it is given changes no other session's first turn", () => {
  const event: HookEvent = { id: "e", name: "PreToolUse", at: 0, cwd: "/", data: {}, sender: "emit", session: "s" };
  const turn = advance(event, firstTurn);
  turn.spent.reprompts = 99;
  assert.equal(advance(event, firstTurn).spent.reprompts, 0);
});
