import assert from "node:assert/strict";
import { before, test } from "node:test";
import { rootNames } from "../../src/conditions/expressions/names.ts";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { type CompiledCondition, compileCondition } from "../../src/engine/condition.ts";
import { HooklineError } from "../../src/engine/error.ts";
import type { Fields, Json, Turn } from "../../src/engine/event.ts";
import type { Patterns, Scope } from "../../src/engine/ports.ts";
import { scopeWith } from "./worlds.ts";

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns({ expression: true });
});

const compile = (expr: string): CompiledCondition =>
  compileCondition({ is: "expression", with: { expr } }, { conditions }, patterns);
const stop = (turn: Partial<Turn> = {}, data: Fields = {}): Scope => scopeWith("Stop", data, turn);
const call = (input: Fields, more: Fields = {}): Scope =>
  scopeWith("PostToolUse", { tool_name: "Bash", tool_input: input, ...more });
const holds = (expr: string, scope: Scope): boolean => compile(expr).test(scope) !== false;
const faultOf = (expr: string, scope: Scope = stop()): string | undefined => {
  assert.equal(holds(expr, scope), false);
  return scope.faults?.at(-1);
};

/** reason and advice of what is refused at load. */
function refusal(expr: string): string {
  try {
    patterns.expression(expr);
  } catch (error) {
    assert.ok(error instanceof HooklineError && error.code === "pattern_invalid");
    assert.equal(error.facts.pattern, expr);
    assert.equal(error.facts.column, Number(/^column (\d+): /.exec(String(error.facts.reason))?.[1]));
    return `${error.facts.reason} — ${error.facts.advice}`;
  }
  return assert.fail(`${expr} was read`);
}

test("[D43, DT8] an expression over the turn is true or false as Python says", () => {
  assert.equal(holds("tokens_used > 500", stop({ tokens: 600 })), true);
  assert.equal(holds("tokens_used > 500", stop({ tokens: 100 })), false);
  const both = "turn >= 3 and not tool_failed";
  assert.equal(holds(both, stop({ number: 3 })), true);
  assert.equal(holds(both, stop({ number: 3, toolFailed: true })), false);
  assert.equal(holds(both, stop({ number: 2 })), false);
  assert.throws(() => compile("turn >>> garbage ("), { code: "pattern_invalid" });
});

test("[D43, R64] each name reads what specification 003 means by it", () => {
  const turn: Partial<Turn> = {
    number: 4,
    toolCalls: 2,
    messages: 9,
    tokens: 50,
    window: 100,
    openTasks: 3,
    maxTurns: 8,
  };
  const scope = stop(
    { ...turn, toolFailed: true, prompt: "hi", answer: "ho", error: "oh" },
    { last_assistant_message: "yes" },
  );
  for (const expr of [
    "turn == turn_count == turns == 4",
    "tools == tool_calls == 2",
    "messages == message_count == 9",
    "tokens == tokens_used == 50 and max_tokens == 100 and pressure == 0.5",
    "max_turns == 8 and open_tasks == 3 and tool_failed is True",
    "prompt == 'hi' and answer == 'yes' and error == 'oh'",
    "tool is None and tool.name is None and session is None",
    "event.name == 'Stop' and event.last_assistant_message == 'yes'",
    "agent.id is None and agent.type is None",
  ]) {
    assert.equal(holds(expr, scope), true, expr);
  }
  const named = scopeWith(
    "SubagentStop",
    { name: "made up" },
    {},
    { session: "s1", agent: { id: "a", type: "reviewer" } },
  );
  assert.equal(holds("event.name == 'SubagentStop' and event['name'] == 'SubagentStop'", named), true);
  assert.equal(holds("session == 's1' and agent == {'id': 'a', 'type': 'reviewer'}", named), true);
  assert.equal(
    Object.values(rootNames).every(({ summary }) => summary !== ""),
    true,
  );
});

test("[D43, R64] tool has name, class, params, result and error, and what is missing is None", () => {
  const scope = call(
    { command: "git push", list: [1, 2] },
    { tool_response: { success: false, text: "no" }, error: "e" },
  );
  for (const expr of [
    "tool.name == 'Bash' and tool.class == 'shell'",
    "'git' in tool.params.command and tool.params.command.startswith(('git ', 'hg '))",
    "tool.params.list[-1] == 2 and tool.params['list'][0] == 1",
    "tool.result.success is False and tool.error == 'e' and tool_failed",
    "tool.params.nothing is None and tool.params.nothing.deeper[3].still is None",
    "tool.params.list[7] is None and 'abc'[9] is None",
    "any(word in tool.params.command for word in ['push', 'reset'])",
    "len([n for n in tool.params.list if n > 1]) == 1",
  ]) {
    assert.equal(holds(expr, scope), true, expr);
  }
});

test("[D43, SAFETY D6] nothing of the engine below can be reached: such names are plain missing keys", () => {
  const scope = call(JSON.parse('{"a": 1, "__proto__": {"b": 2}}'));
  for (const expr of [
    "tool.constructor is None and tool.params.constructor is None and tool.__class__ is None",
    "tool.params.__proto__ == {'b': 2} and tool.params.b is None",
    "event.toString is None and 'toString' not in tool.params and tool.params['hasOwnProperty'] is None",
    "{'__proto__': 1}['__proto__'] == 1 and {'a': 1}.__proto__ is None",
    "'x'.constructor is None and [1].length is None and (1).constructor is None",
  ]) {
    assert.equal(holds(expr, scope), true, expr);
  }
  for (const expr of [
    "constructor",
    "__proto__",
    "globalThis",
    "process",
    "eval('1')",
    "__import__('os')",
    "tool.keys()",
  ])
    assert.throws(() => patterns.expression(expr), { code: "pattern_invalid" }, expr);
});

test("[D43] an unknown name is a load error with its column and the name that was meant", () => {
  const table: Readonly<Record<string, string>> = {
    "tokns > 5": 'column 1: no name is called "tokns" — did you mean "tokens"?',
    "turn > 3 and  tool_faild": 'column 15: no name is called "tool_faild" — did you mean "tool_failed"?',
    "any(w in promt for w in ['a'])": 'column 10: no name is called "promt" — did you mean "prompt"?',
    "turn == true": 'column 9: no name is called "true" — did you mean "True"?',
    "error is not null": 'column 14: no name is called "null" — write None',
    "prompt.lowr()": 'column 8: "lowr" cannot be called — did you mean "lower"?',
    "roud(turn) > 3": 'column 1: "roud" cannot be called — did you mean "round"?',
    any: "column 1: any is a function — write any(…)",
    "[x for y in [1]]": 'column 2: no name is called "x"',
  };
  for (const [expr, expected] of Object.entries(table))
    assert.equal(refusal(expr).startsWith(expected), true, `${expr}: ${refusal(expr)}`);
});

test("[D43] what is no Python, or none that is supported, is a load error that says where and what to write", () => {
  const table: Readonly<Record<string, string>> = {
    "": "column 1: the expression is empty",
    "   ": "column 1: the expression is empty",
    "turn >": "column 7: the expression ends too early",
    "turn > 3 &&  tools": 'column 10: "&&" is not Python — write and',
    "turn || tools": 'column 6: "||" is not Python — write or',
    "!tool_failed": 'column 1: "!" is not Python — write not',
    "turn === 3": 'column 6: "===" is not Python — write ==',
    "turn = 3": 'column 6: "=" sets a name — write == to compare',
    "turn tools": 'column 6: "tools" does not fit here',
    "turn, tools": "column 5: one expression is enough",
    "turn; tools": "column 1: this is a statement",
    "turn # so": "column 6: a comment is not supported",
    "turn == not tools": 'column 9: "not" does not fit here — write brackets around it',
    "lambda: 1": "column 1: lambda is not supported",
    "f'{turn}'": "column 1: a text with f is not supported: join with +",
    "turn in {1, 2}": "column 9: a set is not supported: write a list",
    "(x for x in [1])": "column 1: a generator stands only in any, all",
    "len(x for x in [1])": "column 7: this takes no generator — write [ ] around it",
    "turn is 3": "column 9: is asks for None, True or False alone — write ==",
    "turn & 1": "column 6: & is not supported — write and",
    "sorted([1], reverse=True)": "column 20: a value given by name is not supported",
    "len()": "column 4: len() takes 1 value and has 0",
    "'a'.replace('b')": "column 12: replace() takes 2 to 3 values and has 1",
    "min()": "column 4: min() takes 1 or more values and has 0",
    "9007199254740993 > 1": "column 1: a whole number beyond 2**53 is too large",
    "012": "column 1: 012 is no number",
    "{1: 2}": "column 2: a key of a dictionary is a text in quotes",
    "(turn := 3)": "column 2: := is not supported",
    "[x for x, y in [1]]": "column 9: a loop is written: for NAME in VALUES",
    "turn if tools": "column 14: the expression ends too early",
    '"\\N{DASH}"': "column 2: a character by name is not supported",
    "x.real": 'column 1: no name is called "x"',
  };
  for (const [expr, expected] of Object.entries(table))
    assert.equal(refusal(expr).startsWith(expected), true, `${expr}: ${refusal(expr)}`);
});

test("[D43] an expression may go over several lines, and its columns count on", () => {
  assert.equal(holds("turn >= 3\n  and not tool_failed\n  and (prompt == ''\n or tools)", stop({ number: 3 })), true);
  assert.match(refusal("turn >= 3\n  and tol"), /^column 17: /);
  assert.match(refusal("turn >= 3 # so\n  and tools"), /^column 11: a comment/);
  assert.match(refusal("prompt == '''a\nb'''"), /^column 11: a text ends on the line/);
});

test("[D43, R13] what cannot be answered is false, and one sentence says so with the column", () => {
  const scope = stop({ number: 2 });
  const table: Readonly<Record<string, string>> = {
    "len(3) > 1": "column 1: len() does not take a whole number",
    "prompt + 1": "column 8: + does not take a text and a whole number",
    "turn / (turn - 2) > 1": "column 6: division by zero",
    "'a' in turn": "column 5: nothing can be in a whole number",
    "int('x')": "column 1: int() takes a text of digits",
    "max([])": "column 1: max() of nothing",
    "turn ** 99 > 1": "column 6: a whole number beyond 2**53 is too large",
    "[] in {}": "column 4: a list cannot be a key",
    "'%s' % prompt": "column 6: filling a text with % is not supported",
  };
  for (const [expr, reason] of Object.entries(table)) {
    const said = faultOf(expr, scope);
    assert.equal(said?.startsWith(`the expression ${expr} has no answer: ${reason}`), true, `${expr}: ${said}`);
  }
});

test("[D43, R64] an operation on a missing value is false, says so, and hides nothing next to it", () => {
  const scope = stop({ number: 2 });
  const table: Readonly<Record<string, boolean>> = {
    "tokens > 500": false,
    "tokens <= 500": false,
    "'x' in tool.params.command": false,
    "'x' not in tool.params.command": false,
    "not 'x' in tool.params.command": true,
    "not ('x' in tool.params.command)": true,
    "tool.params.command.lower() == 'x'": false,
    "any(w == 'x' for w in tool.params.command.split(' '))": false,
    "tokens > 500 or turn == 2": true,
    "turn == 2 and tokens > 500": false,
    "any('SECRET' in edit.new for edit in [{'old': 'a'}, {'new': 'SECRET'}])": true,
    "all('safe' in edit.new for edit in [{'new': 'safe'}, {'old': 'a'}])": false,
    "len(tool.params.edits) > 3": false,
    "(1 if tokens > 5 else 2) == 2": true,
  };
  for (const [expr, expected] of Object.entries(table)) {
    assert.equal(holds(expr, scope), expected, expr);
    assert.deepEqual(scope.faults ?? [], [], expr);
  }
  assert.match(compile("tokens > 500").explain(scope).because, /is false \(column 8: None and a whole number/);
});

test("[D43] a fault is reported once for all evaluations of an event, and explain shows it, too", () => {
  const condition = compile("turn / 0 > 1");
  const scope = stop();
  condition.test(scope);
  condition.test(scope);
  const { because, holds: held } = condition.explain(scope);
  assert.equal(held, false);
  assert.equal(scope.faults?.length, 1);
  assert.equal(because, scope.faults?.[0]);
  const prepared = conditions.get("expression")?.prepare?.({ expr: "turn / 0 > 1" }, patterns) ?? null;
  const read = compileCondition({ is: "expression", with: prepared }, { conditions }, patterns);
  assert.equal(read.explain(stop()).because, `${scope.faults?.[0]}, where turn is 0`);
});

test("[D43] and, or, chains and choices stop where the answer is known, and ask each value once", () => {
  for (const expr of [
    "turn > 3 or None < 1",
    "not (turn < 3 and None < 1)",
    "not (9 < 3 < None)",
    "1 if turn else None < 1",
    "any(x > 2 for x in [3, None])",
    "not all(x > 4 for x in [3, None])",
    "any((x > 2 for x in [3, None]))",
    "not tool_failed == True and turn",
    "not turn == 9 and tools == 0",
  ]) {
    assert.equal(holds(expr, stop({ number: 5 })), true, expr);
  }
});

test("[D43, SAFETY T8] the limits end what would take long: steps, texts, numbers, nesting", () => {
  const long = "x".repeat(300_000);
  const list = Array.from({ length: 5000 }, () => "a");
  const scope = call({ long, list, deep: JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`) as Json });
  const started = performance.now();
  for (const [expr, reason] of [
    ["all(x == y for x in tool.params.list for y in tool.params.list)", "it takes more than 10000 steps"],
    ["sorted(tool.params.list) and sorted(tool.params.list + tool.params.list)", "it takes more than 10000 steps"],
    ["[0] * 100000", "it takes more than 10000 steps"],
    ["any(tool.params.long.lower() == x for x in tool.params.list)", "it takes more than 10000 steps"],
    ["'x' * 100001", "it makes a text of more than 100000 characters"],
    ["tool.params.long + tool.params.long", "it makes a text of more than 100000 characters"],
    ["str(tool.params.long.split('y'))", "it makes a text of more than 100000 characters"],
    ["tool.params.long.replace('x', 'xy')", "it makes a text of more than 100000 characters"],
    ["str(tool.params.deep)", "it is nested too deep to be printed"],
    ["tool.params.deep == [tool.params.deep]", "it is nested too deep to be compared"],
    ["9 ** 9 ** 9", "a whole number beyond 2**53 is too large"],
  ] as const) {
    assert.ok(faultOf(expr, scope)?.endsWith(reason), `${expr}: ${scope.faults?.at(-1)}`);
  }
  assert.equal(holds("tool.params.long.count('x') == 300000 and 'y' not in tool.params.long", scope), true);
  assert.ok(performance.now() - started < 600_000);
});

test("[D43] expressions that are too long or too deep are refused at load", () => {
  assert.match(refusal(`turn${" ".repeat(2000)}`), /^column 2001: it is longer than 2000/);
  assert.match(refusal(`${"(".repeat(200)}turn${")".repeat(200)}`), /nested more than 100 deep/);
  assert.match(refusal(`${"not ".repeat(200)}turn`), /nested too deep/);
  assert.match(refusal(`${"-".repeat(200)}1`), /nested more than 100 deep/);
  assert.match(refusal("(".repeat(1999)), /^column \d+: /);
  assert.match(refusal("[".repeat(999) + "]".repeat(999)), /^column \d+: /);
  assert.equal(holds(Array.from({ length: 220 }, () => "turn").join(" and "), stop({ number: 1 })), true);
});

test("[D43] the hook keeps the tree, so that no event needs the parser, and a damaged one is a load error", async () => {
  const kind = conditions.get("expression");
  const prepared = kind?.prepare?.({ expr: "turn >= 3 and 'x' in prompt" }, patterns);
  const stored: Json = JSON.parse(JSON.stringify(prepared));
  const none = await loadPatterns({});
  const condition = compileCondition({ is: "expression", with: stored }, { conditions }, none);
  assert.equal(condition.test(stop({ number: 3, prompt: "axe" })), true);
  assert.deepEqual(kind?.prepare?.({ expr: "turn", tree: { is: "constant", at: 1, value: true } }, patterns), {
    expr: "turn",
    tree: { is: "name", at: 1, name: "turn" },
  });
  for (const tree of [
    null,
    5,
    {},
    { is: "eval" },
    { is: "constructor" },
    { is: "name", name: "__proto__" },
    { is: "name", name: "tokns" },
    { is: "call", name: "toString", given: [] },
    { is: "call", name: "len", given: [] },
    { is: "and", values: [] },
    { is: "compare", first: { is: "constant", value: 1 }, rest: [{ by: "constructor" }] },
    { is: "constant", value: [] },
    { is: "each", gives: { is: "name", name: "x" }, loops: [] },
  ] as Json[]) {
    const wrong = { is: "expression", with: { expr: "x", tree } };
    assert.throws(
      () => compileCondition(wrong, { conditions }, none),
      { code: "pattern_invalid" },
      JSON.stringify(tree),
    );
  }
  let deep: Json = { is: "constant", at: 1, value: 1 };
  for (let depth = 0; depth < 5000; depth++) deep = { is: "not", at: 1, value: deep };
  assert.throws(() => compileCondition({ is: "expression", with: { expr: "x", tree: deep } }, { conditions }, none), {
    code: "pattern_invalid",
  });
});

test("[D43] an expression says what has to be looked up for it, and nothing more", () => {
  const needs = (expr: string): string[] => {
    const prepared = conditions.get("expression")?.prepare?.({ expr }, patterns) ?? null;
    return [...compileCondition({ is: "expression", with: prepared }, { conditions }, patterns).needs].sort();
  };
  assert.deepEqual(needs("tool.name == 'Bash' and tools > 3"), []);
  assert.deepEqual(needs("pressure > 0.5 or tokens > 9"), ["tokens"]);
  assert.deepEqual(needs("turn > 1 and messages > 2 and open_tasks"), ["messages", "tasks", "turns"]);
  assert.deepEqual(needs("[turn for turn in [1]]"), []);
  assert.deepEqual([...compile("pressure > 0.5").needs], ["tokens"]);
});

test("[D43] parameters of another shape are a load error", () => {
  for (const params of [null, {}, "turn > 3", { expr: 5 }, { expr: "turn", tres: 1 }]) {
    assert.throws(() => compileCondition({ is: "expression", with: params }, { conditions }, patterns), {
      code: "parameters_invalid",
    });
  }
});

test("tool.params.path is the file of the call, whatever its tool calls it", () => {
  for (const field of ["path", "file_path", "notebook_path", "filePath"])
    assert.equal(holds("tool.params.path == '/a.ts'", call({ [field]: "/a.ts" })), true, field);
  assert.equal(holds("tool.params.path is None", call({ command: "ls" })), true);
});
