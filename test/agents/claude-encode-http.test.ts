/** What Claude Code is answered over HTTP, where no exit code reaches it: the same as a command prints, or the nearest that it obeys. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeCode } from "../../src/agents/claude-code/adapter.ts";
import type { AgentEventName, HookEvent, Json } from "../../src/engine/event.ts";
import type { Outcome } from "../../src/engine/outcome.ts";

const eventCalled = (name: AgentEventName): HookEvent => ({
  ...{ id: "e", name, at: 0, cwd: "/w", sender: "claude-code" },
  data: { tool_name: "Bash", tool_input: {}, tool_response: {} },
});
const overHttp = (name: AgentEventName, outcome: Outcome): Json | undefined =>
  claudeCode.encodeForHttp?.(eventCalled(name), outcome);
const deny: Outcome = { verdict: { is: "deny", reason: "not now", by: "h" } };
const names = Object.keys(claudeCode.capabilities) as AgentEventName[]; // the table's keys

test("[R50] what is refused by exit code, answered in plain text, never sent over HTTP, or brings a daemon back stays a command's", () => {
  assert.deepEqual(
    names.filter((name) => !claudeCode.overHttp?.(name)),
    [
      "SessionStart",
      "Setup",
      "UserPromptSubmit",
      "PreCompact",
      "TeammateIdle",
      "TaskCreated",
      "TaskCompleted",
      "Elicitation",
      "ElicitationResult",
      "ConfigChange",
      "WorktreeCreate",
    ],
  );
});

test("an event that goes over HTTP is answered with what a command prints, whatever the outcome", () => {
  const outcomes: Outcome[] = [
    {},
    deny,
    { verdict: { is: "allow", by: "h" }, updatedInput: { a: 1 } },
    { context: ["so it is"], messages: [{ to: "person", text: "hello" }] },
    { stop: { reason: "enough" } },
    { updatedOutput: "x", retry: true, displayContent: "d" },
  ];
  for (const name of names.filter((one) => claudeCode.overHttp?.(one)))
    for (const outcome of outcomes) {
      const printed = claudeCode.encode(eventCalled(name), outcome, {});
      assert.equal(printed.exitCode, 0, name);
      assert.deepEqual(overHttp(name, outcome), printed.body, `${name} ${JSON.stringify(outcome)}`);
    }
});

test("an event that a person has put on HTTP all the same is refused in the nearest form that is obeyed", () => {
  const stopped = { continue: false, stopReason: "not now" };
  const table: [AgentEventName, Json][] = [
    ["TeammateIdle", stopped],
    ["TaskCreated", stopped],
    ["TaskCompleted", stopped],
    ["ConfigChange", { decision: "block", reason: "not now" }],
    ["PreCompact", { decision: "block", reason: "not now" }],
    [
      "Elicitation",
      { systemMessage: "not now", hookSpecificOutput: { hookEventName: "Elicitation", action: "decline" } },
    ],
    ["WorktreeCreate", { systemMessage: "not now" }],
  ];
  for (const [name, expected] of table) assert.deepEqual(overHttp(name, deny), expected, name);
});

test("text for an event that cannot be refused is printed as JSON, or as plain text", () => {
  assert.equal(overHttp("PreCompact", { context: ["keep", "this"] }), "keep\nthis");
  assert.deepEqual(overHttp("WorktreeCreate", { worktreePath: "/w/t" }), {
    hookSpecificOutput: { hookEventName: "WorktreeCreate", worktreePath: "/w/t" },
  });
  assert.deepEqual(overHttp("Elicitation", { elicitation: { action: "accept", content: { a: 1 } } }), {
    hookSpecificOutput: { hookEventName: "Elicitation", action: "accept", content: { a: 1 } },
  });
  for (const name of ["PreCompact", "WorktreeCreate", "Elicitation", "ConfigChange"] as const)
    assert.equal(overHttp(name, {}), undefined, name);
});
