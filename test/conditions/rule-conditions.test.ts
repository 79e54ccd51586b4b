import assert from "node:assert/strict";
import { before, test } from "node:test";
import { errorClassOf } from "../../src/conditions/errors.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { find } from "../../src/conditions/text-search.ts";
import { type CompiledCondition, compileCondition } from "../../src/engine/condition.ts";
import type { Fields, Json, Turn } from "../../src/engine/event.ts";
import type { Condition } from "../../src/engine/hook.ts";
import { planHooks } from "../../src/engine/plan.ts";
import type { Patterns, Scope } from "../../src/engine/ports.ts";
import { isRecord } from "../../src/engine/schema.ts";
import { aHook } from "../engine/a-hook.ts";
import { scopeWith } from "./worlds.ts";

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

const compile = (condition: Condition): CompiledCondition => compileCondition(condition, { conditions }, patterns);
const holds = (condition: Condition, scope: Scope): boolean => compile(condition).test(scope) !== false;
const because = (condition: Condition, scope: Scope): string => compile(condition).explain(scope).because;
const stop = (turn: Partial<Turn> = {}, data: Fields = {}): Scope => scopeWith("Stop", data, turn);
const call = (tool: string, input: Fields = {}, native?: string): Scope =>
  scopeWith(
    "PreToolUse",
    { tool_name: tool, tool_input: input },
    {},
    native === undefined ? {} : { nativeTool: native },
  );

test("[D33, D34, DT2] always holds, never does not, and another type is a load error", () => {
  assert.equal(holds({ is: "always" }, stop()), true);
  assert.equal(holds({ is: "never", with: {} }, stop()), false);
  assert.equal(holds({ not: { is: "never" } }, stop()), true);
  assert.throws(() => compile({ is: "allways" }), { code: "condition_unknown", message: /did you mean "always"/ });
  assert.throws(() => compile({ is: "always", with: { threshold: 1 } }), { code: "parameters_invalid" });
});

test("[DT34] not around an unknown condition is a load error, never always", () => {
  assert.throws(() => compile({ not: { is: "tool_fialed" } }), { code: "condition_unknown", message: /tool_failed/ });
  assert.throws(() => compile({ all: [{ any: [{ not: { is: "x" } }] }] }), { code: "condition_unknown" });
});

test("[D35, DT4, R13] context_pressure holds at or above its part of the window", () => {
  const half: Condition = { is: "context_pressure", with: { threshold: 0.5 } };
  assert.deepEqual(
    [800, 300, 500].map((tokens) => holds(half, stop({ tokens, window: 1000 }))),
    [true, false, true],
  );
  assert.equal(holds({ is: "context_pressure" }, stop({ tokens: 749, window: 1000 })), false);
  assert.equal(holds({ is: "context_pressure" }, stop({ tokens: 750, window: 1000 })), true);
  assert.deepEqual([...compile(half).needs], ["tokens"]);
});

test("[D35] without tokens or a window context_pressure does not hold, and the reason says so", () => {
  const pressure: Condition = { is: "context_pressure", with: { threshold: 0 } };
  for (const turn of [{}, { tokens: 5 }, { window: 10 }, { tokens: 5, window: 0 }]) {
    assert.equal(holds(pressure, stop(turn)), false);
    assert.match(because(pressure, stop(turn)), /is not known/);
  }
});

test("[D35] a threshold in percent is a load error, as it would never be reached", () => {
  for (const threshold of [75, -1, "0.75", Number.NaN]) {
    assert.throws(() => compile({ is: "context_pressure", with: { threshold } }), {
      code: "parameters_invalid",
      message: /a part of 1/,
    });
  }
});

test("[D36, DT5, R13] turn_count holds at its turn, and with every at each such turn after it", () => {
  const turns = (params: Fields): number[] =>
    Array.from({ length: 21 }, (_, number) => number).filter((number) =>
      holds({ is: "turn_count", with: params }, stop({ number })),
    );
  assert.deepEqual(turns({ threshold: 5, every: 5 }), [5, 10, 15, 20]);
  assert.deepEqual(turns({ threshold: 5, every: 3 }), [5, 8, 11, 14, 17, 20]);
  assert.deepEqual(turns({ threshold: 5 }), [5]);
  for (const wrong of [{}, { every: 2 }, { threshold: 5, every: 0 }, { threshold: -1 }, { threshold: 1.5 }]) {
    assert.throws(() => compile({ is: "turn_count", with: wrong }), { code: "parameters_invalid" });
  }
  assert.deepEqual([...compile({ is: "turn_count", with: { threshold: 1 } }).needs], ["turns"]);
});

test("[D37, D38, R13, R41] tool_calls and message_count hold at or above 20 and 50, or what is written", () => {
  assert.equal(holds({ is: "tool_calls" }, stop({ toolCalls: 19 })), false);
  assert.equal(holds({ is: "tool_calls" }, stop({ toolCalls: 20 })), true);
  assert.equal(holds({ is: "tool_calls", with: { threshold: 2 } }, stop({ toolCalls: 3 })), true);
  assert.equal(holds({ is: "message_count" }, stop({ messages: 49 })), false);
  assert.equal(holds({ is: "message_count", with: {} }, stop({ messages: 50 })), true);
  assert.equal(holds({ is: "message_count", with: { threshold: 2 } }, stop({ messages: 1 })), false);
  assert.deepEqual([...compile({ is: "message_count" }).needs], ["messages"]);
  assert.throws(() => compile({ is: "tool_calls", with: { treshold: 3 } }), { code: "parameters_invalid" });
});

test("[D39, DT3, R13] tool_name is a glob, a list of them, or several with bars; never a regular expression", () => {
  const fits = (match: Json, tool: string): boolean => holds({ is: "tool_name", with: { match } }, call(tool));
  assert.equal(fits("filesystem.*", "filesystem.read"), true);
  assert.equal(fits("filesystem.*", "shell.bash"), false);
  assert.equal(fits("a.b|c.d", "a.b") && fits("a.b|c.d", "c.d"), true);
  assert.equal(fits("a.b | c.d", "c.d"), true);
  assert.equal(fits(["x.y", "a.b|c.d"], "c.d") && fits(["x.y", "a.b"], "x.y"), true);
  assert.equal(fits("*", "anything.at.all"), true);
  assert.equal(fits("filesystem\\..+", "filesystem.read"), false);
  assert.equal(fits("filesystem.rea?", "filesystem.read"), true);
  assert.equal(fits("FILESYSTEM.*", "filesystem.read"), false);
  assert.equal(fits("read", "filesystem.read"), false);
});

test("tool_name refuses a tool pattern, and shows where one may stand", () => {
  for (const match of ["Bash(git push *)", "Bash(git *|npm *)", ["Edit", "Bash(rm *)"], "Bash(a)|Edit(b)"])
    assert.throws(() => compile({ is: "tool_name", with: { match } }), {
      code: "pattern_invalid",
      message: /write "Bash" here, or ask for commands: \{ type: shell, runs: .*"(git|rm|a)\b.*" \}/,
    });
  assert.throws(() => compile({ is: "tool_name", with: { match: "(read|write)_file" } }), {
    code: "pattern_invalid",
    message: /no tool's name holds brackets/,
  });
});

test("[D39, R11] tool_name sees the canonical tool, its native name, its module names and its class", () => {
  const fits = (match: string, scope: Scope): boolean => holds({ is: "tool_name", with: { match } }, scope);
  assert.equal(fits("filesystem.write", call("Write")), true);
  assert.equal(fits("filesystem.*", call("Read")), true);
  assert.equal(fits("shell.bash", call("Bash", {}, "exec_command")), true);
  assert.equal(fits("exec_*", call("Bash", {}, "exec_command")), true);
  assert.equal(fits("write", call("Edit")), true);
  assert.equal(fits("wri*", call("Edit")), false);
  assert.equal(fits("mcp", call("mcp__github__search")), true);
});

test("[D39] tool_name holds on no event without a tool, and its answer is remembered per match value", () => {
  const any: Condition = { is: "tool_name", with: { match: "*" } };
  assert.equal(holds(any, stop()), false);
  assert.equal(holds(any, scopeWith("Notification", { notification_type: "Bash", message: "" })), false);
  assert.equal(holds(any, scopeWith("PreToolUse", {})), false);
  assert.equal(compile(any).isStatic, true);
  for (const match of ["", " | ", []]) {
    assert.throws(() => compile({ is: "tool_name", with: { match } }), { code: "pattern_invalid" });
  }
  assert.throws(() => compile({ is: "tool_name", with: { match: 5 } }), { code: "parameters_invalid" });
  assert.throws(() => compile({ is: "tool_name" }), { code: "parameters_invalid" });
});

test("[D40] tool_failed looks at the call that ended, elsewhere at the turn's last", () => {
  const failed: Condition = { is: "tool_failed" };
  const ended = (data: Fields, turn: Partial<Turn> = {}): Scope =>
    scopeWith("PostToolUse", { tool_name: "Bash", tool_input: {}, ...data }, turn);
  assert.equal(holds(failed, ended({ tool_response: { success: false } })), true);
  assert.equal(holds(failed, ended({ tool_response: { success: true } }, { toolFailed: true })), false);
  assert.equal(holds(failed, ended({ error: "no such file" })), true);
  assert.equal(holds(failed, scopeWith("PostToolUseFailure", { tool_name: "Bash", tool_input: {} })), true);
  assert.equal(holds(failed, stop({ toolFailed: true })), true);
  assert.equal(holds(failed, stop()), false);
});

test("[D41, DT6, R13] content_contains finds its keyword in the answer or the user's message, capitals or not", () => {
  const boom: Condition = { is: "content_contains", with: { keyword: "boom" } };
  assert.equal(holds(boom, stop({}, { last_assistant_message: "it went boom" })), true);
  assert.equal(holds(boom, stop({ answer: "it went boom" })), true);
  assert.equal(holds(boom, scopeWith("UserPromptSubmit", { prompt: "make it boom" })), true);
  assert.equal(holds(boom, stop({ prompt: "make it boom" })), true);
  assert.equal(holds(boom, stop({ prompt: "be quiet", answer: "as you like" })), false);
  assert.equal(holds(boom, stop({ answer: "BOOM" })), true);
  const exact: Condition = { is: "content_contains", with: { keyword: "BOOM", case_sensitive: true } };
  assert.equal(holds(exact, stop({ answer: "boom" })), false);
  assert.equal(holds(exact, stop({ answer: "BOOM" })), true);
  const long = `Boom ${"a.b(".repeat(40)}`;
  assert.equal(holds({ is: "content_contains", with: { keyword: long } }, stop({ answer: long.toUpperCase() })), true);
  assert.equal(holds({ is: "content_contains", with: { keyword: "a.c" } }, stop({ answer: "abc" })), false);
});

test("[D41, specification 003] content_contains sees the tool call itself, however deep its texts are", () => {
  const remove: Condition = { is: "content_contains", with: { keyword: "rm -rf" } };
  const flagship: Condition = { all: [{ is: "tool_name", with: { match: "shell.bash" } }, remove] };
  const ended = (command: string): Scope =>
    scopeWith("PostToolUse", { tool_name: "Bash", tool_input: { command }, tool_response: "" });
  assert.equal(holds(flagship, ended("sudo rm -rf build")), true);
  assert.equal(holds(flagship, ended("ls")), false);
  assert.equal(holds(remove, call("MultiEdit", { edits: [{ old: 1, new: ["x", "rm -rf /"] }] })), true);
  assert.equal(holds(remove, call("X", { "rm -rf": 1 })), false);
});

test("[D41] an empty keyword is a load error", () => {
  for (const params of [{ keyword: "" }, {}, { keyword: 5 }, { keyword: "a", case_sensitive: "yes" }]) {
    assert.throws(() => compile({ is: "content_contains", with: params }), { code: "parameters_invalid" });
  }
});

test("[D42, DT7, R13] error_type searches the type and the message, and without an error it does not hold", () => {
  const timeout: Condition = { is: "error_type", with: { match: "Timeout" } };
  const failure = (data: Fields, turn: Partial<Turn> = {}): Scope => scopeWith("StopFailure", data, turn);
  assert.equal(holds(timeout, failure({ error: "it took too long", error_type: "ConnectionTimeout" })), true);
  assert.equal(holds(timeout, failure({ error: { type: "ConnectionTimeout", message: "too long" } })), true);
  assert.equal(holds(timeout, failure({ error: "unknown", error_details: "Timeout after 5 s" })), true);
  assert.equal(holds(timeout, failure({ error: "429 slow down" })), false);
  assert.equal(holds(timeout, stop({ error: "Timeout" })), true);
  assert.equal(holds(timeout, failure({ error: "refused" }, { error: "Timeout" })), false);
  assert.equal(holds(timeout, stop()), false);
  assert.equal(holds({ is: "error_type", with: { match: "" } }, stop()), false);
  assert.equal(holds({ is: "error_type", with: { match: "^rate_limit$" } }, failure({ error: "429 slow down" })), true);
  assert.equal(holds({ is: "error_type", with: { match: "(?i)[s]LOW" } }, failure({ error: "429 slow down" })), true);
});

test("[D42, R9] an expression that does not run in linear time is a load error", () => {
  assert.throws(() => compile({ is: "error_type", with: { match: "(?=a)" } }), { code: "pattern_invalid" });
  assert.throws(() => compile({ is: "error_type", with: {} }), { code: "parameters_invalid" });
});

test("[DT31] the text of an error gives its type", () => {
  const table: Readonly<Record<string, string>> = {
    "429 rate limit": "rate_limit",
    "Insufficient balance": "billing",
    "Context overflow": "context_overflow",
    Timeout: "timeout",
    "401 unauthorized": "auth",
    "Connection refused": "network",
    "something else": "internal",
    rate_limit: "rate_limit",
    "connection timed out": "timeout",
    "prompt is too long: 210000 tokens": "context_overflow",
  };
  for (const [text, type] of Object.entries(table)) assert.equal(errorClassOf(text), type, text);
});

test("[D44, D45, D46, D47, D48] all, any and not nest, an empty all holds, an empty any does not, and none asks on", () => {
  assert.equal(holds({ all: [] }, stop()), true);
  assert.equal(holds({ any: [] }, stop()), false);
  const broken: Condition = { is: "expression", with: { expr: "None < 1" } };
  const scope = stop();
  assert.equal(holds({ all: [{ is: "never" }, broken] }, scope), false);
  assert.equal(holds({ any: [{ is: "always" }, broken] }, scope), true);
  assert.deepEqual(scope.faults, []);
  assert.equal(holds({ not: { any: [{ all: [{ not: { is: "never" } }, { is: "never" }] }] } }, scope), true);
});

test("agent holds for its agent's id or type, and for the agent that has the turn if the event names none", () => {
  const reviewer: Condition = { is: "agent", with: "reviewer" };
  const by = (agent: { id: string; type?: string }, turn: Partial<Turn> = {}): Scope =>
    scopeWith("PreToolUse", { tool_name: "Bash", tool_input: {} }, turn, { agent });
  assert.equal(holds(reviewer, by({ id: "reviewer" })), true);
  assert.equal(holds(reviewer, by({ id: "a-17", type: "reviewer" })), true);
  assert.equal(holds(reviewer, by({ id: "writer" }, { agent: { id: "reviewer" } })), false);
  assert.equal(holds(reviewer, stop({ agent: { id: "reviewer" } })), true);
  assert.equal(holds(reviewer, stop()), false);
});

test("each condition says what is so about the event, in a sentence", () => {
  const bash = call("Bash", { command: "rm -rf /" });
  const failure = scopeWith("StopFailure", { error: "429 slow down" });
  const table: readonly (readonly [Condition, Scope, string])[] = [
    [{ is: "always" }, stop(), "the condition is always"],
    [{ is: "never" }, stop(), "the condition is never"],
    [{ is: "context_pressure" }, stop({ tokens: 300, window: 1000 }), "the context is 30 % full, below 75 %"],
    [{ is: "context_pressure" }, stop({ tokens: 800, window: 1000 }), "the context is 80 % full, at or above 75 %"],
    [{ is: "turn_count", with: { threshold: 5 } }, stop({ number: 2 }), "it is turn 2, and the condition is turn 5"],
    [{ is: "tool_calls" }, stop({ toolCalls: 1 }), "1 tool call in this turn, fewer than 20"],
    [{ is: "message_count" }, stop({ messages: 60 }), "60 messages in this conversation, at or above 50"],
    [
      { is: "tool_name", with: { match: "filesystem.write" } },
      bash,
      "the tool is Bash, and the pattern is filesystem.write",
    ],
    [{ is: "tool_name", with: { match: "x|B*" } }, bash, "the tool is Bash, which fits x or B*"],
    [{ is: "tool_name", with: { match: "*" } }, stop(), "Stop is about no tool, and the pattern is *"],
    [{ is: "tool_failed" }, stop(), "the turn's last tool call did not fail"],
    [
      { not: { is: "tool_failed" } },
      scopeWith("PostToolUse", { tool_name: "Bash", tool_input: {}, error: "x" }),
      "the tool call failed",
    ],
    [{ is: "content_contains", with: { keyword: "rm -rf" } }, bash, 'the tool call holds "rm -rf"'],
    [
      { is: "content_contains", with: { keyword: "x" } },
      stop(),
      "neither the user's message nor the model's answer nor the tool call holds \"x\"",
    ],
    [{ is: "error_type", with: { match: "Time" } }, stop(), "there is no error, and the pattern is Time"],
    [
      { is: "error_type", with: { match: "^rate" } },
      failure,
      "the error is rate_limit: 429 slow down — which fits ^rate",
    ],
    [{ is: "agent", with: "a" }, stop(), "no agent is named, and the hook belongs to a"],
    [
      { is: "expression", with: { expr: "turn >= 3 and not tool_failed" } },
      stop({ number: 2 }),
      "the expression turn >= 3 and not tool_failed is false, where turn is 2 and tool_failed is False",
    ],
  ];
  for (const [condition, scope, expected] of table) {
    const prepared = prepare(condition);
    assert.equal(because(prepared, scope), expected);
    assert.notEqual(because(prepared, scope), "");
  }
});

/** As a dialect does it, when the file is read. */
function prepare(condition: Condition): Condition {
  if (!("is" in condition) || condition.with === undefined) return condition;
  const kind = conditions.get(condition.is);
  return kind?.prepare ? { ...condition, with: kind.prepare(condition.with, patterns) } : condition;
}

/** By dialects alone. */
const written: ReadonlySet<string> = new Set(
  "match tool exempt agent ability operation_key min_duration of_project skip_flags".split(" "),
);

test("every condition for authors has a summary, and each of its parameters a description", () => {
  for (const [name, { summary, params, describe }] of conditions) {
    if (written.has(name)) continue;
    assert.ok(summary && describe, name);
    const properties = isRecord(params.json.properties) ? params.json.properties : {};
    for (const [key, one] of Object.entries(properties))
      assert.ok(isRecord(one) && typeof one.description === "string", `${name}.${key}`);
  }
});

test("[D39] a rule's tool_name decides which hooks an event finds, and its other clauses are left to test", () => {
  const hook = (id: string, when: Condition) => aHook(id, "x", { when });
  const write: Condition = { is: "tool_name", with: { match: "filesystem.write" } };
  const hooks = [hook("a", { all: [write, { is: "tool_failed" }] }), hook("b", write), hook("c", { is: "never" })];
  const plans = planHooks({ id: "set", hooks }, { conditions, handlers: new Map() }, patterns);
  const found = (tool: string): string[] => plans.find(call(tool).event).map((plan) => plan.hook.id);
  assert.deepEqual(found("Write"), ["a", "b"]);
  assert.deepEqual(found("Bash"), []);
  assert.equal(plans.of(hooks[0] as (typeof hooks)[0]).open !== undefined, true);
});

test("[SAFETY T8] searching a long text for a long, repetitive one takes time in proportion to their lengths", () => {
  const needle = `${"a".repeat(25_000)}b${"a".repeat(25_000)}`;
  const started = performance.now();
  assert.equal(find("a".repeat(1_000_000), needle), -1);
  assert.equal(find(`${"a".repeat(100_000)}b${"a".repeat(100_000)}`, needle), 75_000);
  assert.equal(find("xxabab", "ab", 3), 4);
  assert.ok(performance.now() - started < 600_000);
});
