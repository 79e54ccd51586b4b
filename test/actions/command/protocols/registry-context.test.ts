import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { registry } from "../../../../src/actions/command/protocols/registry.ts";
import { contextOf } from "../../../../src/actions/command/protocols/registry-context.ts";
import { claudeCode } from "../../../../src/agents/claude-code/adapter.ts";
import { withOwnNames } from "../../../../src/engine/ability.ts";
import type { Fields, HookEvent } from "../../../../src/engine/event.ts";
import type { Hook } from "../../../../src/engine/hook.ts";
import { onlyOne } from "../../../agents/only-one.ts";
import { eventOf } from "./asking.ts";

const hook = { origin: { dialect: "registry", layer: "project", root: "/project" } } satisfies Pick<Hook, "origin">;

const told = (name: HookEvent["name"], data: Fields, as: string = name): Fields =>
  contextOf(eventOf(name, withOwnNames(data)), as, hook);

const recorded = (name: string): HookEvent => {
  const file = join(import.meta.dirname, `../../../fixtures/agents/claude-code/${name}.json`);
  return onlyOne(claudeCode.decode(JSON.parse(readFileSync(file, "utf8")), { id: () => "e", at: 0 }));
};

test("[B6, B21, B25] every context has the event as its author wrote it, the session, the time and the root", () => {
  const base = { session_id: "session-1", timestamp: "1970-01-01T00:00:00.000Z", repository_root: "/project" };
  assert.deepEqual(told("SessionStart", { source: "startup" }), { event_type: "SessionStart", ...base });
  assert.deepEqual(told("SessionEnd", { reason: "clear" }), { event_type: "SessionEnd", ...base });
  assert.deepEqual(told("SessionStart", {}, "session_start").event_type, "session_start");
});

test("[B21] a stage goes along where it is one, and without a root the event's folder is the repository's", () => {
  assert.equal(told("SessionStart", { stage: "plan" }).stage, "plan");
  assert.equal("stage" in told("SessionStart", { stage: "later" }), false);
  const { session: _none, ...event } = eventOf("SessionStart");
  const context = contextOf(event, "SessionStart", { origin: { dialect: "registry", layer: "user" } });
  assert.deepEqual([context.repository_root, context.session_id], ["/project", ""]);
});

test("[B3, B22] UserPromptSubmit has user_message, and files_touched where they are known", () => {
  const example: Fields = { user_message: "run the tests", files_touched: [], stage: "understand" };
  const { user_message, files_touched, stage } = told("UserPromptSubmit", example);
  assert.deepEqual({ user_message, files_touched, stage }, example);
  const own = told("UserPromptSubmit", { prompt: "hello" });
  assert.equal(own.user_message, "hello");
  assert.equal("files_touched" in own || "prompt" in own, false);
});

test("[B4, B23] PreAbilityCall has ability_id, operation_key and planned_input_summary", () => {
  const data = { ability_id: "deploy", operation_key: "workflow.deploy", planned_input_summary: "to staging" };
  assert.deepEqual(told("PreToolUse", data, "PreAbilityCall"), {
    event_type: "PreAbilityCall",
    session_id: "session-1",
    timestamp: "1970-01-01T00:00:00.000Z",
    repository_root: "/project",
    tool_name: "deploy",
    ...data,
  });
});

test("[B19] a host's own time is handed on as a time, whatever else it says", () => {
  const told = (timestamp: string): unknown =>
    contextOf(eventOf("PostToolUse", { tool_name: "x", timestamp }), "PostAbilityCall", {
      origin: {},
    } as unknown as Hook).timestamp; // no more of the hook is looked at
  const forged = new Date("Jan 1 2025 (\n\n# FORGED)").toISOString();
  assert.equal(told("Jan 1 2025 (\n\n# FORGED)"), forged);
  assert.equal(told("2025-01-15T10:23:45+01:00"), "2025-01-15T10:23:45+01:00");
  assert.equal(told("no time"), "1970-01-01T00:00:00.000Z");
});

test("[B5, B19, B24] PostAbilityCall has everything of the specification's example, as it was sent", () => {
  const example: Fields = {
    event_type: "PostAbilityCall",
    session_id: "session-1",
    ability_id: "billing_regression",
    operation_key: "workflow.billing.regression",
    status: "success",
    duration_ms: 187000,
    input_summary: "Run regression tests against non-prod billing",
    output_summary: "All 42 test cases passed",
    tool_call_path: ".system/implement/task-123/tool_call.md",
    timestamp: "2025-01-15T10:23:45Z",
  };
  const context = told("PostToolUse", example, "PostAbilityCall");
  assert.deepEqual({ ...context, ...example }, context);
});

test("[B24] the status is the host's, otherwise what the agent says about the call", () => {
  const status = (name: HookEvent["name"], data: Fields): unknown => told(name, { tool_name: "Bash", ...data }).status;
  assert.equal(status("PostToolUse", {}), "success");
  assert.equal(status("PostToolUse", { tool_response: { success: false } }), "failure");
  assert.equal(status("PostToolUseFailure", { error: "exit 1" }), "failure");
  assert.equal(status("PostToolUse", { status: "skipped" }), "skipped");
  assert.equal(status("PostToolUse", { status: "odd" }), "success");
});

test("[B19, B24, R62] a real agent's tool calls are abilities by their tool's name", () => {
  const bash = contextOf(recorded("PostToolUse.Bash"), "PostAbilityCall", hook);
  assert.deepEqual([bash.ability_id, bash.operation_key, bash.status], ["Bash", "tool.Bash", "success"]);
  assert.equal(typeof bash.duration_ms, "number");
  assert.match(String(bash.input_summary), /command: /);
  assert.equal("tool_input" in bash || "tool_response" in bash, false);
  const failure = contextOf(recorded("PostToolUseFailure"), "PostAbilityCall", hook);
  assert.equal(failure.status, "failure");
  assert.ok(String(failure.output_summary).length > 0);
});

test("[B4, B24, R62] a real agent's subagents and skills are abilities by their own names", () => {
  const agent = contextOf(recorded("PostToolUse.Agent"), "PostAbilityCall", hook);
  assert.deepEqual([agent.ability_id, agent.operation_key], ["general-purpose", "agent.general-purpose"]);
  assert.equal(agent.output_summary, "sub done");
  const skill = told("PreToolUse", { tool_name: "Skill", tool_input: { skill: "pdf", args: "a.pdf" } });
  assert.deepEqual([skill.ability_id, skill.operation_key], ["pdf", "skill.pdf"]);
  assert.equal(skill.planned_input_summary, "skill: pdf; args: a.pdf");
});

test("[B25] SessionStop has the changed files that the event names, else those of the session", () => {
  assert.deepEqual(told("SessionStop", { changed_files: ["a.ts", 3] }).changed_files, ["a.ts"]);
  const event = eventOf("SessionStop");
  assert.equal("changed_files" in contextOf(event, "SessionStop", hook), false);
  const changes = { base: "/project", files: ["b.ts"], earlier: ["a.ts"], removed: [] };
  assert.deepEqual(contextOf({ ...event, changes }, "SessionStop", hook).changed_files, ["b.ts", "a.ts"]);
  const nested = { origin: { ...hook.origin, root: "/project/services/api" } };
  const below = { ...changes, files: ["services/api/x.ts"], earlier: ["lib/y.ts"] };
  assert.deepEqual(contextOf({ ...event, changes: below }, "SessionStop", nested).changed_files, [
    "x.ts",
    "../../lib/y.ts",
  ]);
  assert.equal("changed_files" in contextOf({ ...event, changes: { unknown: "no git" } }, "SessionStop", hook), false);
});

test("[B26] payloads are there as summaries, cut between words", () => {
  const long = "word ".repeat(300);
  const summary = String(
    told("PreToolUse", { tool_name: "Bash", tool_input: { command: long } }).planned_input_summary,
  );
  assert.ok(summary.length <= 500 && summary.endsWith("word…"), summary);
  const many = String(
    told("PreToolUse", { tool_name: "Write", tool_input: { content: long, file_path: "/a.ts" } }).planned_input_summary,
  );
  assert.ok(many.length <= 500 && many.endsWith("file_path: /a.ts"), many);
  assert.equal(told("PreToolUse", { tool_name: "X", planned_input_summary: long }).planned_input_summary, summary);
  const halves = String(
    told("PreToolUse", { tool_name: "X", tool_input: { a: "😀".repeat(400) } }).planned_input_summary,
  );
  assert.ok(halves.isWellFormed(), "a character was cut in two");
});

test("[B26] what else the event says is added, in short, and replaces nothing", () => {
  const context = told("UserPromptSubmit", {
    prompt: "hello",
    event_type: "Other",
    repository_root: "/elsewhere",
    last_cli_command: "make dev_check",
    figures: { a: 1, b: "two" },
    count: 3,
    nothing: null,
  });
  assert.equal(context.event_type, "UserPromptSubmit");
  assert.equal(context.repository_root, "/project");
  assert.equal(context.last_cli_command, "make dev_check");
  assert.equal(context.figures, "a: 1; b: two");
  assert.equal(context.count, 3);
  assert.equal("nothing" in context, false);
});

test("[B10, B26] any other event has the base and its payload in short", () => {
  const context = told("task.completed", { title: "Ship it", error: "none", detail: { step: 2 } });
  assert.deepEqual(
    [context.event_type, context.title, context.error, context.detail],
    ["task.completed", "Ship it", "none", "2"],
  );
});

test("[B17] the script reads one JSON object", () => {
  const input = registry.write(eventOf("UserPromptSubmit", { prompt: "a\nb" }), "UserPromptSubmit", {
    ...hook,
  } as unknown as Hook); // only its origin is looked at
  assert.equal(input.includes("\n"), false);
  assert.equal(JSON.parse(input).user_message, "a\nb");
});
