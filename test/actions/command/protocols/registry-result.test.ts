import assert from "node:assert/strict";
import test from "node:test";
import { registry } from "../../../../src/actions/command/protocols/registry.ts";
import type { EventName } from "../../../../src/engine/event.ts";
import type { StepResult } from "../../../../src/engine/ports.ts";
import type { Ended } from "../../../../src/engine/program.ts";
import { endOf, eventOf } from "./asking.ts";

const ended = (end: Partial<Ended>, name: EventName = "PreToolUse"): StepResult =>
  registry.read(endOf(end), eventOf(name), "hook-1");

const answered = (said: unknown, name: EventName = "PreToolUse"): StepResult =>
  ended({ stdout: typeof said === "string" ? said : JSON.stringify(said) }, name);

const reasonOf = (result: StepResult): string => (result.ok ? "" : result.reason);

const toPerson = (text: string): object => ({ to: "person", text });

test("[B17, BT9] nothing on stdout says nothing", () => {
  for (const said of ["", " \n", "\uFEFF", "{}"])
    assert.deepEqual([answered(said).ok, answered(said).output], [true, {}], JSON.stringify(said));
});

test("[B17, BT9] what is no JSON object is a failure that quotes it", () => {
  for (const said of ["done", "[1]", '"text"', "3", "null", '{"logs": [', "{a: 1}"]) {
    const result = answered(said);
    assert.equal(result.ok, false, said);
    assert.match(result.ok ? "" : `${result.failure} ${result.reason}`, /^output invalid output: /);
  }
});

test("[B17] a result among what the script's programs print counts, with a note of the rest", () => {
  const result = answered('> build\n{"built": true}\n{"messages_to_user": ["built"]}\nbye');
  assert.deepEqual(result.outcome?.messages, [toPerson("built")]);
  assert.match(result.notes?.[0] ?? "", /^stdout holds more than the result: "> build/);
  assert.equal(answered('log {"error": "x"} more').ok, false);
  assert.equal(answered('checking\n{"error": "blocked_by_policy"}').outcome?.verdict?.is, "deny");
  assert.equal(answered('{"messages_to_user": ["a"]}\n{"messages_to_user": ["b"]}').ok, false);
});

test("[B17, B35] a refusal stays one, whatever else is printed before or after it", () => {
  const refused = '{"error":"blocked_by_policy"}';
  const others = [
    '{"usage_recorded":true}',
    '{"messages_to_user":["audit written"]}',
    '{"logs":["x"]}',
    '{"error":"no"}',
    "done",
  ];
  for (const other of others)
    for (const said of [`${refused}\n${other}`, `${other}\n${refused}`, `  ${refused}\r\n${other}`])
      assert.equal(answered(said).outcome?.verdict?.is, "deny", said);
  const withLogs = answered('{"error":"blocked_by_policy","logs":["refused"]}\n{"messages_to_user":["audit written"]}');
  assert.equal(withLogs.ok, false, "two results are none");
  assert.equal(withLogs.outcome?.verdict?.reason, "blocked_by_policy");
  assert.equal(withLogs.outcome?.messages, undefined, "what does not refuse says nothing");
});

test("[B17, B35] a refusal counts anywhere in the output, and not only where it begins a line", () => {
  const refusals = ['{"error":"blocked_by_policy"}', '{"block_execution":true}', '{"error":"Blocked: not on main"}'];
  for (const refusal of refusals) {
    const said = [
      `checking policy... ${refusal}\n{"usage_recorded":true}`,
      `[1] ${refusal}\ndone`,
      `\u001b[31m${refusal}\u001b[0m\ndone`,
      `log ${refusal} done`,
      `{policy} ${refusal}\n{"usage_recorded":true}`,
    ];
    for (const one of said) assert.equal(answered(one).outcome?.verdict?.is, "deny", one);
  }
  const line = '{"level":"warn","msg":"stop","error":"blocked_by_policy"}';
  assert.equal(answered(`${line}\n{"usage_recorded":true}`).outcome?.verdict?.is, "deny", "one word refuses");
  assert.equal(answered(`${"{ ".repeat(2000)}${refusals[0]}\n{"usage_recorded":true}`).outcome?.verdict?.is, "deny");
});

test("[B17, B34] a program's own log line before the result neither refuses nor costs the result", () => {
  const result = '{"messages_to_user":["use the ledger helper"]}';
  const lines = [
    '{"level":"warn","error":"Blocked port 9200, using the cache"}',
    '{"level":"info","msg":"start","error":null}',
    '{"time":"2025-01-15T10:23:45Z","level":"ERROR","msg":"retry","error":{"code":3}}',
    '{"ts":1,"msg":"stop","error":"retry 1","logs":["x"]}',
    '{"error":null}',
    '{"error":" ","a":1}',
    'response: {"error":"not found"}',
  ];
  for (const line of lines) {
    const { ok, outcome } = answered(`${line}\n${result}`);
    assert.deepEqual([ok, outcome], [true, { messages: [toPerson("use the ledger helper")] }], line);
  }
  assert.equal(
    reasonOf(answered('starting\n{"level":"error","error":"no database"}')),
    "no database",
    "the last one is it",
  );
});

test("[B17, B34] an error is not hidden by output after it", () => {
  const error = '{"error":"cannot reach policy server"}';
  assert.match(reasonOf(answered(`${error}\n{"logs":["x"]}`)), /^invalid output: it holds 2 results/);
  assert.equal(reasonOf(answered(`${error}\ndone`)), "cannot reach policy server");
  const own = '{"error":"cannot reach policy server","attempts":3}';
  assert.match(reasonOf(answered(`${own}\n{"usage_recorded":true}`)), /^invalid output: it holds 2 results/);
});

test("[B35, R39] a block_execution that is no flag is a failure, and no permission", () => {
  for (const value of ["true", 1, {}])
    assert.match(reasonOf(answered({ block_execution: value })), /^block_execution is .*, and neither true nor false$/);
  assert.equal(answered({ block_execution: null }).ok, true);
  assert.equal(answered({ error: "blocked", block_execution: "true" }).outcome?.verdict?.is, "deny");
});

test("[B17] a result that is too deep or too large is a failure that says so", () => {
  const nested = (depth: number): string => `{"deep":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.equal(answered(nested(199)).ok, true);
  for (const depth of [200, 50_000])
    assert.match(reasonOf(answered(nested(depth))), /^invalid output: it is nested deeper than 200: /);
  const cut = `{"logs":["${"x".repeat(1 << 20)}`;
  assert.match(reasonOf(ended({ stdout: cut, dropped: 7 })), /^invalid output: it is larger than 1 MiB: /);
  assert.match(reasonOf(ended({ stdout: "done", dropped: 7 })), /^invalid output: it is not JSON: /);
});

test("[B27, R31] logs are handed on with their level; plain strings are information", () => {
  const { logs, notes } = answered({
    logs: ["plain", { level: "warning", message: "w" }, { level: "loud", message: "x" }, { level: "info" }, 3],
  });
  assert.deepEqual(logs, [
    { level: "info", message: "plain" },
    { level: "warn", message: "w" },
    { level: "info", message: "x" },
  ]);
  assert.deepEqual(notes, [
    'the level of a log line is "loud", which is none of debug, info, warn, error',
    "logs[3] must be one of texts, or { level, message }: left out",
    "logs[4] must be one of texts, or { level, message }: left out",
  ]);
});

test("[B28] messages_to_user are for the person", () => {
  assert.deepEqual(answered({ messages_to_user: ["a", "", "b"] }).outcome?.messages, [toPerson("a"), toPerson("b")]);
  assert.deepEqual(answered({ messages_to_user: "one" }).outcome?.messages, [toPerson("one")]);
  assert.match(answered({ messages_to_user: [1] }).notes?.[0] ?? "", /^messages_to_user must be a list of texts/);
});

test("[B28] messages show what is in them, and have an end", () => {
  const { outcome } = answered({ messages_to_user: ["one\r\ntwo\tthree \u001b[31m\u202e"], error: "blocked" });
  assert.deepEqual(outcome?.messages, [toPerson("one\ntwo\tthree \\u001b[31m\\u202e")]);
  assert.equal(outcome?.verdict?.reason, "one\ntwo\tthree \\u001b[31m\\u202e");
  const many = answered({ messages_to_user: Array.from({ length: 20 }, () => "m".repeat(3000)) });
  assert.equal((many.outcome?.messages ?? []).map(({ text }) => text).join("").length, 10_000);
  assert.deepEqual(many.notes, ["messages_to_user were cut: 10000 characters are the most"]);
  const exact = answered({ messages_to_user: ["m".repeat(10_000)] });
  assert.deepEqual([exact.outcome?.messages?.length, exact.notes], [1, undefined]);
  const error = answered({ error: `blocked ${"x".repeat(9000)}\u202e` }).outcome?.verdict?.reason ?? "";
  assert.ok(error.length <= 2000 && !error.includes("\u202e"));
});

test("[B2, B29, BT13] suggested abilities are hints, and nothing more", () => {
  const suggestions = [{ id: "billing_regression", reason: "fits", confidence: 0.9 }];
  assert.deepEqual(answered({ suggested_abilities: suggestions }, "UserPromptSubmit").outcome, { suggestions });
  const odd = answered({ suggested_abilities: [{ id: "a", confidence: 7 }, { reason: "no id" }, "b"] });
  assert.deepEqual(odd.outcome?.suggestions, [{ id: "a" }, { id: "b" }]);
  assert.equal(odd.notes?.length, 2);
});

test("[B30] suggested documents are hints; a stage that is none is left out", () => {
  const { outcome, notes } = answered({
    suggested_documents: [
      { path: "docs/a.md", reason: "r", stage: "plan" },
      { path: "b.md", stage: "later" },
    ],
  });
  assert.deepEqual(outcome?.documents, [{ path: "docs/a.md", reason: "r", stage: "plan" }, { path: "b.md" }]);
  assert.match(notes?.join() ?? "", /the stage of the document b.md is "later"/);
});

test("[B31, BT14] new_intent is passed on unchanged; an unknown stage is reported, and the rest kept", () => {
  const intent = { scope: "quality", topic: "checks", stage: "plan", intent: "learn", signals: { raw: "x" }, own: 1 };
  assert.deepEqual(answered({ new_intent: intent }).outcome, { intent });
  const odd = answered({ new_intent: { ...intent, stage: "later" }, messages_to_user: ["m"] });
  const { stage: _later, ...rest } = intent;
  assert.deepEqual(odd.outcome, { intent: rest, messages: [toPerson("m")] });
  assert.deepEqual(odd.notes, [
    'the stage of new_intent is "later", which is none of understand, plan, act, review: left out',
  ]);
  assert.match(answered({ new_intent: { scope: "x" } }).notes?.[0] ?? "", /^new_intent must be a map with an intent/);
});

test("[B32, BT15, R31] follow-ups have a payload, whichever way they are written; an unknown kind is kept with a warning", () => {
  const { outcome, notes, ok } = answered({
    follow_up_actions: [
      { kind: "open_file", payload: { path: "a.ts" } },
      { kind: "open_file", path: "a.ts" },
      { kind: "water_plants", payload: {} },
      { kind: "run_command", payload: "ls" },
      { path: "b" },
    ],
  });
  assert.equal(ok, true);
  assert.deepEqual(outcome?.followUps, [
    { kind: "open_file", payload: { path: "a.ts" } },
    { kind: "open_file", payload: { path: "a.ts" } },
    { kind: "water_plants", payload: {} },
  ]);
  assert.match(notes?.[0] ?? "", /"water_plants" is none of open_file, run_command, create_task/);
  assert.equal(notes?.length, 3);
});

test("[B33, B34a, BT23, R31] the run keeps the whole result, unknown fields included", () => {
  const result = { usage_recorded: true, update_matcher_suggestions: [{ ability_id: "x", weight: 0.7 }] };
  assert.deepEqual(answered(result), { ok: true, output: result, outcome: {} });
  assert.match(answered({ usage_recorded: "yes" }).notes?.[0] ?? "", /^usage_recorded must be true or false/);
});

test("[B34a] a result that is too large to be kept whole says what is not there", () => {
  const { output, notes } = answered({ big: "x".repeat(100_000), usage_recorded: true });
  assert.deepEqual(output, { usage_recorded: true });
  assert.match(notes?.[0] ?? "", /too large to be kept whole; not in this run: big/);
});

test("[B35, BT16, R39] an error that begins with blocked denies, and the messages say why", () => {
  const { outcome, ok } = answered({ messages_to_user: ["not in production"], error: "blocked_by_policy" });
  assert.equal(ok, true);
  assert.deepEqual(outcome?.verdict, { is: "deny", reason: "not in production", by: "hook-1" });
  assert.deepEqual(outcome?.messages, [toPerson("not in production")]);
  assert.equal(answered({ error: "Blocked: no" }).outcome?.verdict?.reason, "Blocked: no");
  assert.equal(answered({ block_execution: true }).outcome?.verdict?.reason, "blocked by the hook");
  assert.equal(answered({ error: "blocked" }, "SessionStop").outcome?.verdict?.is, "deny");
});

test("[B34, R39] any other error is a failure, and the other fields count", () => {
  const result = answered({ error: "no database", messages_to_user: ["m"], block_execution: false });
  assert.equal(result.ok, false);
  assert.equal(!result.ok && `${result.failure}: ${result.reason}`, "error: no database");
  assert.deepEqual(result.outcome, { messages: [toPerson("m")] });
  assert.equal(answered({ error: " " }).ok, true);
  assert.equal(answered({ error: null }).ok, true);
  assert.equal(answered({ error: { code: 3 } }).ok, false);
});

test("[R39] where nothing can be blocked any more, blocking is a failure like others", () => {
  for (const name of ["PostToolUse", "UserPromptSubmit", "SessionStart"] as const) {
    const result = answered({ error: "blocked_by_policy" }, name);
    assert.equal(result.ok, false, name);
    assert.equal(result.outcome?.verdict, undefined, name);
  }
});

test("[B20, BT7] exit 1 is a failure with the code and the script's own words", () => {
  const result = ended({ code: 1, stderr: "no such table\n" });
  assert.deepEqual(result, { ok: false, output: {}, failure: "exit", reason: "exit 1: no such table" });
  assert.equal(ended({ code: 2, stderr: "no" }).outcome, undefined);
});

test("[B35] a script that refuses and then fails has refused", () => {
  const result = ended({ code: 1, stdout: JSON.stringify({ error: "blocked_by_policy", usage_recorded: true }) });
  assert.equal(result.ok, false);
  assert.equal(result.outcome?.verdict?.is, "deny");
});

test("[BT21] a script without its execute bit is a launch failure that names chmod +x", () => {
  const result = ended({ code: 126, stderr: "bash: line 1: ./hooks/x.sh: Permission denied\n" });
  assert.equal(
    !result.ok && `${result.failure}: ${result.reason}`,
    "launch: ./hooks/x.sh may not be executed: chmod +x ./hooks/x.sh (exit 126)",
  );
});

test("[B17, R14] a script that was stopped has given no answer, whatever it had printed", () => {
  const stdout = JSON.stringify({ error: "blocked" });
  assert.equal(ended({ how: "aborted", stdout }).outcome, undefined);
  const { code: _none, ...killed } = endOf({ signal: "SIGKILL", stdout });
  assert.equal(registry.read(killed, eventOf("PreToolUse"), "h").ok, false);
});

test("[R95] a refusal in the form of a settings hook fails a repository hook, which says what to write", () => {
  for (const said of [
    { decision: "block", reason: "no" },
    { permissionDecision: "deny" },
    { permission: "ask" },
    { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } },
    { hookSpecificOutput: { decision: { behavior: "deny" } } },
  ]) {
    const result = registry.read(endOf({ stdout: JSON.stringify(said) }), eventOf("PreToolUse"), "hook-1");
    assert.ok(!result.ok, JSON.stringify(said));
    assert.match(result.reason, /is the answer of a settings hook, .* write \{"block_execution": true/);
  }
  const other = registry.read(endOf({ stdout: '{"decision":"later","permission":"rw-"}' }), eventOf("PreToolUse"), "h");
  assert.ok(other.ok);
});
