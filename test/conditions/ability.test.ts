import assert from "node:assert/strict";
import test from "node:test";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { ability, minDuration, operationKey } from "../../src/conditions/tools-and-abilities.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import type { ConditionKind } from "../../src/engine/ports.ts";
import { scopeWith } from "./worlds.ts";

const patterns = await loadPatterns();

function asked<P>(kind: ConditionKind<P>, params: P) {
  const test = kind.compile(params, patterns);
  return (data: Fields, name: HookEvent["name"] = "PostToolUse", more: Partial<HookEvent> = {}) => {
    const scope = scopeWith(name, data, {}, more);
    const holds = test(scope) !== false;
    return { holds, because: kind.explain?.(params, scope, patterns)[holds ? "holds" : "fails"] };
  };
}

test("[B11] ability_scope is a list of globs of which one has to fit the whole name", () => {
  const ask = asked(ability, { match: ["billing_*", "deploy"] });
  assert.equal(ask({ tool_name: "billing_regression", tool_input: {} }).holds, true);
  assert.equal(ask({ tool_name: "deploy", tool_input: {} }).holds, true);
  const other = ask({ tool_name: "redeploy", tool_input: {} });
  assert.equal(other.holds, false);
  assert.equal(other.because, "the ability is redeploy, and the pattern is billing_* or deploy");
});

test("[B11] a skill and a subagent are known by their own names, by their kind, and by the tool that calls them", () => {
  const skill = { tool_name: "Skill", tool_input: { skill: "pdf" } };
  const agent = { tool_name: "Agent", tool_input: { subagent_type: "reviewer", prompt: "look" } };
  for (const [data, globs] of [
    [skill, ["pdf", "skill:*", "skill:pdf", "Skill"]],
    [agent, ["reviewer", "agent:rev*", "Agent"]],
    [{ tool_name: "Bash", tool_input: { command: "ls" } }, ["Bash", "tool:*"]],
  ] as const)
    for (const glob of globs) assert.equal(asked(ability, { match: [glob] })(data).holds, true, glob);
  assert.equal(asked(ability, { match: ["agent:*"] })(skill).holds, false);
});

test("[B11, R11] the agent's own name of a tool fits as well", () => {
  const ask = asked(ability, { match: ["run_shell_command"] });
  const data = { tool_name: "Bash", tool_input: {} };
  assert.equal(ask(data, "PreToolUse", { nativeTool: "run_shell_command" }).holds, true);
  assert.equal(ask(data, "PreToolUse").holds, false);
});

test("[B11] an event that is about no ability fits no ability_scope, and the reason says so", () => {
  const { holds, because } = asked(ability, { match: ["tool:*"] })({ prompt: "hello" }, "UserPromptSubmit");
  assert.equal(holds, false);
  assert.equal(because, "UserPromptSubmit is about no ability here, and the pattern is tool:*");
});

test("[B11, B23] operation_key is compared as the host names it, else made of kind and name", () => {
  const ask = asked(operationKey, { match: ["workflow.billing.*"] });
  assert.equal(ask({ ability_id: "x", operation_key: "workflow.billing.regression" }).holds, true);
  assert.equal(ask({ tool_name: "Bash", tool_input: {} }).holds, false);
  assert.equal(asked(operationKey, { match: ["tool.B*"] })({ tool_name: "Bash", tool_input: {} }).holds, true);
});

test("globs that name nothing are refused when the hook is read", () => {
  assert.throws(() => ability.compile({ match: [" "] }, patterns), /names no ability/);
});

test("[B11, BT11] a least duration holds from there on, and not where nothing says how long it took", () => {
  const ask = asked(minDuration, { ms: 100 });
  assert.deepEqual(ask({ duration_ms: 99 }), { holds: false, because: "it took 99 ms, fewer than 100" });
  assert.deepEqual(ask({ duration_ms: 100 }), { holds: true, because: "it took 100 ms, at least 100" });
  assert.deepEqual(ask({}), {
    holds: false,
    because: "nothing says how long it took, and it must be 100 ms at least",
  });
  assert.equal(ask({ duration_ms: "200" }).holds, false);
});
