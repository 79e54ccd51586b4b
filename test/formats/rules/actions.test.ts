import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "../../../src/engine/hook.ts";
import { losesHooks } from "../../../src/loading/last-good-guards.ts";
import { codes, compile, file, lineOf, names, only, place, problem, rule, write } from "../rules-helpers.ts";

const steps = (action: string, more: { [name: string]: string } = {}): readonly Step[] =>
  only(compile(file(rule({ action, ...more })))).steps;

test("[D58, R20] a chain becomes its actions as steps; it stops at a failure unless it says otherwise", () => {
  const chain = "{ type: chain, actions: [{ type: log, message: a }, { type: log, message: b }] }";
  assert.deepEqual(steps(chain), [
    { uses: "log", with: { message: "a" }, timeout: 30, onError: "stop", templates: true },
    { uses: "log", with: { message: "b" }, timeout: 30, onError: "stop", templates: true },
  ]);
  const on = steps(chain.replace("actions", "stop_on_failure: false, actions"));
  assert.deepEqual(
    on.map(({ onError }) => onError),
    ["continue", "continue"],
  );
  const inner = "{ type: chain, stop_on_failure: true, actions: [{ type: log, message: b }] }";
  const nested = `{ type: chain, stop_on_failure: false, actions: [{ type: log, message: a }, ${inner}, { type: chain, actions: [{ type: log, message: c }] }] }`;
  assert.deepEqual(
    steps(nested).map(({ with: { message }, onError }) => [message, onError]),
    [
      ["a", "continue"],
      ["b", "stop"],
      ["c", "continue"],
    ],
  );
});

test("[D58] parameters may be next to type or under params, in a chain too; module_action has params of its own", () => {
  assert.deepEqual(steps("{ type: log, params: { message: a, level: warn } }")[0]?.with, {
    message: "a",
    level: "warn",
  });
  assert.equal(steps("{ type: chain, params: { actions: [{ type: log, params: { message: a } }] } }").length, 1);
  const call = "{ type: module_action, module: lsp, action: diagnose, params: { file: x } }";
  assert.deepEqual(steps(call)[0]?.with, { module: "lsp", action: "diagnose", params: { file: "x" } });
});

test("[D58] each action of a chain sees what the one before it answered", async (t) => {
  const action =
    "{ type: chain, actions: [{ type: shell, command: 'printf first' }, { type: log, message: 'after {{previous}}' }] }";
  const line = lineOf(t, compile(file(rule({ action }))));
  await line.emit("PreToolUse", write);
  assert.deepEqual(line.logged(), ["after first"]);
});

test("[D58] a failing action ends the chain, or not, and what came before it stays", async (t) => {
  const chain = (stop: boolean): string =>
    `{ type: chain, stop_on_failure: ${stop}, actions: [{ type: inject_message, content: kept }, { type: shell, command: 'exit 3', on_error: raise }, { type: log, message: reached }] }`;
  const stopped = lineOf(t, compile(file(rule({ on: "turn_start", action: chain(true) }))));
  const outcome = await stopped.emit("UserPromptSubmit", { prompt: "go" });
  assert.deepEqual(stopped.logged(), []);
  assert.match(JSON.stringify(outcome), /kept/);
  const going = lineOf(t, compile(file(rule({ on: "turn_start", action: chain(false) }))));
  await going.emit("UserPromptSubmit", { prompt: "go" });
  assert.deepEqual(going.logged(), ["reached"]);
});

test("[D12a, R14] an action's time is its own, else the rule's, else 30 seconds", () => {
  // It is ended after 7 seconds, and ending it may take 3 more.
  assert.equal(steps("{ type: shell, command: x, timeout: 7 }", { timeout: "5" })[0]?.timeout, 10);
  assert.equal(steps("{ type: shell, command: x }", { timeout: "5" })[0]?.timeout, 5);
  assert.equal(steps("{ type: log, message: x }", { timeout: "5" })[0]?.timeout, 5);
  assert.equal(steps("{ type: log, message: x }")[0]?.timeout, 30);
});

test("[R52, D55] a rule is as strong as its strongest action, and a gate that denies makes it a guard", () => {
  const kind = (action: string): [string, string, string] => {
    const { role, onFailure, mode } = only(compile(file(rule({ action }))));
    return [role, onFailure, mode];
  };
  assert.deepEqual(kind("{ type: gate }"), ["guard", "block", "sync"]);
  assert.deepEqual(kind("{ type: gate, allow: false }"), ["guard", "block", "sync"]);
  assert.deepEqual(kind("{ type: gate, allow: true }"), ["observe", "continue", "sync"]);
  assert.deepEqual(kind("{ type: transform_params, transformation: { a: 1 } }").slice(0, 2), ["transform", "continue"]);
  assert.deepEqual(kind("{ type: chain, actions: [{ type: log, message: x }, { type: gate }] }"), [
    "guard",
    "block",
    "sync",
  ]);
  assert.equal(kind("{ type: module_action, action: a.b }")[2], "async");
  assert.equal(
    kind("{ type: chain, actions: [{ type: module_action, action: a.b }, { type: log, message: x }] }")[2],
    "sync",
  );
});

/** action → code, column, what is said, what is suggested */
const refused: readonly [string, string, number, RegExp, RegExp?][] = [
  ["{ type: logg, message: x }", "unknown-action", 21, /no action is called "logg"/, /did you mean "log"/],
  ["{ type: command, command: x }", "unknown-action", 21, /no action is called "command"/],
  ["{ type: invalid, reason: x }", "unknown-action", 21, /no action is called "invalid"/],
  ["{ type: log }", "missing-field", 13, /action log needs "message"/, /the line/],
  ["{ type: log, mesage: x, message: y }", "unknown-field", 26, /action log has no "mesage"/, /"message"/],
  ["{ type: log, message: 5 }", "wrong-type", 35, /needs text but is 5/, /quotes around it: "5"/],
  ["{ type: log, message: x, level: loud }", "wrong-type", 45, /"level" of the action log needs "debug" or/],
  ["{ type: log, message: x, priority: 5 }", "unknown-field", 38, /has no "priority"/, /belongs to the rule/],
  ["{ type: lsp_diagnose, publish: '{{turn.x}}' }", "wrong-type", 44, /true or false/, /no placeholder can stand here/],
  ["{ type: module_action, action: diagnose }", "missing-field", 13, /action module_action needs "module"/],
  ["{ type: pipe, to: a.b, map: [x] }", "wrong-type", 41, /"map" of the action pipe needs an object but is a list/],
  ["{ type: chain }", "missing-field", 13, /action chain needs "actions"/],
  ["{ type: chain, actions: [] }", "wrong-type", 37, /"actions" of the action chain needs a list of actions/],
  ["{ type: chain, actions: [{ type: log, message: x }], stop: true }", "unknown-field", 66, /has no "stop"/],
  ["{ type: chain, actions: [{ type: log, message: x }, { type: lgo }] }", "unknown-action", 73, /"lgo"/],
  ["{ type: chain, stop_on_failure: no, actions: [{ type: log, message: x }] }", "wrong-type", 45, /true or false/],
  ["log", "wrong-type", 13, /an action is a map with a type/, /\{ type: log \}/],
  ["[{ type: log, message: x }]", "wrong-type", 13, /an action is a map/, /chain/],
];

for (const [action, code, column, says, suggests] of refused) {
  test(`[D19] the action ${action} is refused at its place, and the other rules live`, () => {
    const compiled = compile(file(rule({ action }), rule({ id: "good" })));
    const one = problem(compiled);
    assert.deepEqual([one.code, place(one)], [code, `5:${column}`]);
    assert.match(one.message, says);
    if (suggests) assert.match(one.suggestion ?? "", suggests);
    assert.deepEqual(names(compiled), ["good"]);
  });
}

test("[D56, D57] an action on an event where it has no effect is a warning, and the rule lives", () => {
  const action = "{ type: transform_params, transformation: { a: 1 } }";
  const compiled = compile(file(rule({ on: "[tool_end, tool_start]", action })));
  const one = problem(compiled);
  assert.deepEqual([one.severity, one.code, place(one)], ["warning", "ignored-field", "5:21"]);
  assert.match(one.message, /transform_params has no effect on tool_end$/);
  assert.equal(compiled.hooks.length, 1);
  assert.deepEqual(codes(compile(file(rule({ action })))), []);
});

test("[D55] a gate has an effect on every application event, such as a commit's", () => {
  const action = "{ type: gate }";
  assert.deepEqual(codes(compile(file(rule({ on: "[git.pre-commit, deploy.begin, activation]", action })))), []);
  const changing = "{ type: transform_params, transformation: { a: 1 } }";
  assert.match(
    problem(compile(file(rule({ on: "git.pre-commit", action: changing })))).message,
    /transform_params has no effect on git\.pre-commit$/,
  );
});

test("[R46, D55] an invalid rule with a gate stays as a guard that fails, in its place and on its events", async (t) => {
  const gates: { [name: string]: string | undefined }[] = [
    { action: "{ type: gate, alow: true }" },
    { action: "{ type: gte }" },
    { action: "{ tpye: gate }" },
    { action: "gate" },
    { action: undefined, acton: "{ type: gate }" },
    { action: "{ type: gate }", priority: "x" },
    { action: "{ type: gate }", condition: "{ type: tol_name, match: Write }" },
    { action: "{ type: chain, actions: [{ type: log }, { type: gate }] }" },
    { action: "{ type: gate }", on: "tool_strt" },
    { action: "{ type: gate }", id: undefined },
  ];
  for (const fields of gates) {
    const compiled = compile(file(rule(fields), rule({ id: "good" })));
    const [guard, good] = compiled.hooks;
    assert.equal(good?.name, "good");
    assert.deepEqual([guard?.role, guard?.onFailure, guard?.steps[0].uses], ["guard", "block", "invalid"]);
    assert.deepEqual("event" in (guard?.on ?? {}) && guard?.on, {
      event: ["PreToolUse"],
      as: [fields.on ?? "tool_start"],
    });
    assert.deepEqual(
      [codes(compiled).filter((code) => code === "guard-invalid").length, compiled.problems.length],
      [1, 2],
    );
    const { verdict } = await lineOf(t, compiled).emit("PreToolUse", write);
    assert.equal(verdict?.is, "deny");
  }
});

test("[R46] an invalid guard keeps what of it is valid: its condition, its agent, its priority, its switch", () => {
  const fields = { condition: "{ type: tool_name, match: Write }", action: "{ type: gate, x: 1 }", priority: "5" };
  const guard = only(compile(file(rule({ ...fields, enabled: "false" }))));
  assert.deepEqual(guard.when, { is: "tool_name", with: { match: "Write" } });
  assert.deepEqual([guard.priority, guard.enabled], [5, false]);
});

test("[R46] an invalid rule that allows, or that is no guard, is only dropped", () => {
  for (const action of ["{ type: gate, allow: true, x: 1 }", "{ type: lgo }", "log"]) {
    const compiled = compile(file(rule({ action })));
    assert.deepEqual([compiled.hooks, compiled.problems.length], [[], 1], action);
  }
});

test("[R20, D58] in a chain a failure is a failure, unless the action itself says that it is logged or ignored", async (t) => {
  const chain = (more: string, ...shells: string[]): string =>
    `{ type: chain${more}, actions: [${shells.map((shell) => `{ type: shell, command: "exit 4"${shell} }`).join(", ")}, { type: log, message: went on }] }`;
  const logged = async (action: string): Promise<boolean> => {
    const line = lineOf(t, compile(file(rule({ action }))));
    await line.emit("PreToolUse", write);
    return line.logged().includes("went on");
  };
  assert.equal(await logged(chain("", "")), false);
  assert.equal(await logged(chain("", ", on_error: raise")), false);
  assert.equal(await logged(chain("", ", on_error: log")), true);
  assert.equal(await logged(chain("", ", on_error: ignore")), true);
  assert.equal(await logged(chain("", ", on_error: ignore", "")), false);
  assert.equal(await logged(chain(", stop_on_failure: false", "")), true);
  const alone = only(compile(file(rule({ action: "{ type: shell, command: ls }" }))));
  assert.deepEqual(alone.steps[0].with, { command: "ls" });
});

test("[D51, D53] a call of a server that is not configured is a warning, and the rule runs", () => {
  const told = (action: string, ...modules: string[]): string[] => {
    const compiled = compile(file(rule({ action })), { modules: new Set([...modules, "hookline"]) });
    assert.equal(compiled.hooks.length, 1);
    return compiled.problems.map(
      ({ severity, code, message, suggestion }) => `${severity} ${code} ${message} ${suggestion}`,
    );
  };
  const pipe = "{ type: pipe, to: web.extract }";
  assert.deepEqual(told(pipe, "web"), []);
  assert.match(told(pipe)[0] ?? "", /^warning unknown-tool no server is called "web".*mcp_servers/);
  assert.match(told("{ type: pipe, to: weeb.extract }", "web")[0] ?? "", /"weeb".* did you mean "web"/);
  assert.match(told("{ type: module_action, module: notes, action: add }")[0] ?? "", /"notes"/);
  assert.match(told("{ type: module_action_inject, params: {}, action: notes.add }")[0] ?? "", /"notes"/);
  assert.deepEqual(told("{ type: module_action, action: hookline.runs }"), []);
  assert.deepEqual(told("{ type: module_action, action: mcp__web__find }", "web"), []);
  assert.deepEqual(codes(compile(file(rule({ action: pipe })))), []);
});

test("an action that only answers is a warning on events that take no answer", () => {
  for (const action of ["{ type: inject_message, content: bye }", "{ type: compact_context }"]) {
    for (const on of ["session_end", "error"]) {
      const one = problem(compile(file(rule({ on, action }))));
      assert.deepEqual([one.severity, one.code, place(one)], ["warning", "ignored-field", "5:21"]);
      assert.match(one.message, new RegExp(`has no effect on ${on}$`));
    }
    assert.deepEqual(codes(compile(file(rule({ on: "[turn_end, deploy.done]", action })))), []);
  }
  assert.deepEqual(codes(compile(file(rule({ on: "error", action: "{ type: notify, message: x }" })))), []);
});

test("[D3] a misspelt type is reported at its key, with the word as written", () => {
  const one = problem(compile(file(rule({ action: "{ message: x, tpye: log }" }))));
  assert.deepEqual(
    [place(one), one.message, one.suggestion],
    ["5:27", 'an action needs a "type"; "tpye" is none', 'did you mean "type"?'],
  );
});

test("[D8] an infinite number is refused, with advice to write a finite one", () => {
  for (const cooldown of [".inf", "-.INF", ".nan"]) {
    const one = problem(compile(file(rule({ cooldown }))));
    assert.deepEqual([one.code, place(one), one.suggestion], ["wrong-type", "6:15", "write a finite number"]);
    assert.ok(one.message.endsWith(`but is "${cooldown}"`), one.message);
  }
});

test("an action whose name has run into the next line may have been a guard: its file keeps the last good guards", () => {
  const runOn = `{ type: ${JSON.stringify('gate eason\t "no"')} }`;
  assert.ok(compile(file(rule({ action: runOn }))).problems.some(losesHooks));
  assert.ok(!compile(file(rule({ action: "{ type: gates }" }))).problems.some(losesHooks));
});
