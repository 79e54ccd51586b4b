import assert from "node:assert/strict";
import test from "node:test";
import { abilityOf, withOwnNames } from "../../src/engine/ability.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";

const event = (data: Fields): HookEvent => ({ id: "e", name: "PreToolUse", at: 0, cwd: "/", sender: "test", data });

test("[B4, B5] an ability is a tool, the skill that is called, or the subagent that is started", () => {
  const cases: [Fields, { id: string; kind: string; operation: string } | undefined][] = [
    [
      { tool_name: "Bash", tool_input: { command: "ls" } },
      { id: "Bash", kind: "tool", operation: "tool.Bash" },
    ],
    [
      { tool_name: "Skill", tool_input: { skill: "pdf" } },
      { id: "pdf", kind: "skill", operation: "skill.pdf" },
    ],
    [
      { tool_name: "Skill", tool_input: {} },
      { id: "Skill", kind: "skill", operation: "skill.Skill" },
    ],
    [
      { tool_name: "Task", tool_input: { subagent_type: "code_review" } },
      { id: "code_review", kind: "agent", operation: "agent.code_review" },
    ],
    [
      { tool_name: "billing", ability_id: "billing", operation_key: "workflow.billing.regression" },
      { id: "billing", kind: "tool", operation: "workflow.billing.regression" },
    ],
    [{ prompt: "hello" }, undefined],
  ];
  for (const [data, expected] of cases) assert.deepEqual(abilityOf(event(data)), expected);
});

test("[R62] a payload in the words of 001 gets ours in addition, and its own stay", () => {
  assert.deepEqual(withOwnNames({ ability_id: "x", planned_input_summary: "run" }), {
    ability_id: "x",
    planned_input_summary: "run",
    tool_name: "x",
    tool_input: { summary: "run" },
  });
  assert.equal(withOwnNames({ ability_id: "x", status: "failure", output_summary: "no" }).error, "no");
  assert.equal(withOwnNames({ user_message: "hello" }).prompt, "hello");
  assert.equal(withOwnNames({ user_message: "a", prompt: "b" }).prompt, "b");
  const plain: Fields = { tool_name: "Bash", status: "failure" };
  assert.equal(withOwnNames(plain), plain);
});
