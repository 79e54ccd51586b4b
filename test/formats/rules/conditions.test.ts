import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../../../src/engine/hook.ts";
import { object, text } from "../../../src/engine/schema.ts";
import { conditionKind } from "../../../src/hosts/modules/kinds.ts";
import { defineCondition } from "../../../src/hosts/modules/setup.ts";
import { codes, compile, file, lineOf, only, place, problem, registry, rule, write } from "../rules-helpers.ts";

const when = (condition: string): Condition | undefined => only(compile(file(rule({ condition })))).when;
const wrong = (condition: string) => problem(compile(file(rule({ condition }))));

test("[DT2, D33, D34] always fires, never does not, and an unknown type is refused", async (t) => {
  assert.equal(when("{ type: always }"), undefined);
  const line = lineOf(
    t,
    compile(file(rule(), rule({ id: "n", condition: "{ type: never }", action: "{ type: log, message: no }" }))),
  );
  await line.emit("PreToolUse", write);
  assert.deepEqual(line.logged(), ["hello"]);
  const unknown = wrong("{ type: sometimes }");
  assert.deepEqual([unknown.code, place(unknown)], ["unknown-condition", "4:24"]);
});

test("[D44, D45, D46, D48] composites become the engine's own, and nest freely", () => {
  assert.deepEqual(when("{ type: all_of, conditions: [] }"), { all: [] });
  assert.deepEqual(when("{ type: any_of, conditions: [] }"), { any: [] });
  assert.deepEqual(
    when(
      "{ type: not, condition: { type: any_of, conditions: [{ type: always }, { type: not, condition: { type: never } }] } }",
    ),
    { not: { any: [{ is: "always" }, { not: { is: "never" } }] } },
  );
  const deep = `${"{ type: not, condition: ".repeat(20)}{ type: never }${" }".repeat(20)}`;
  assert.ok(when(deep));
});

test("[D44, D45] an empty all_of fires and an empty any_of does not", async (t) => {
  const log = (id: string): string =>
    rule({ id, condition: `{ type: ${id}, conditions: [] }`, action: `{ type: log, message: ${id} }` });
  const line = lineOf(t, compile(file(log("all_of"), log("any_of"))));
  await line.emit("PreToolUse", write);
  assert.deepEqual(line.logged(), ["all_of"]);
});

test("[D47] nothing is asked after the part that decides", async () => {
  const asked: string[] = [];
  const spy = (name: string, answer: boolean) =>
    conditionKind(
      name,
      defineCondition({
        test: () => {
          asked.push(name);
          return answer;
        },
      }),
    );
  const conditions = new Map([...registry.conditions, ["yes", spy("yes", true)], ["no", spy("no", false)]] as const);
  const condition =
    "{ type: all_of, conditions: [{ type: any_of, conditions: [{ type: yes }, { type: no }] }, { type: no }, { type: yes }] }";
  const compiled = compile(file(rule({ condition })), { registry: { ...registry, conditions } });
  assert.deepEqual(compiled.problems, []);
  const { compileCondition } = await import("../../../src/engine/condition.ts");
  const { patterns } = await import("../rules-helpers.ts");
  const tree = compileCondition(only(compiled).when ?? { all: [] }, { conditions }, patterns);
  const scope = { event: {}, turn: {}, names: [], results: [] } as unknown as Parameters<typeof tree.test>[0]; // spies look at nothing
  assert.equal(tree.test(scope), false);
  assert.deepEqual(asked, ["yes", "no"]);
});

test("[D19, DT34, R13] a typo anywhere in a tree is refused at its place, and not taken for always", () => {
  const nested = wrong("{ type: not, condition: { type: tol_failed } }");
  assert.deepEqual([nested.code, place(nested)], ["unknown-condition", "4:48"]);
  assert.match(nested.suggestion ?? "", /did you mean "tool_failed"/);
  const deeper = wrong("{ type: any_of, conditions: [{ type: always }, { type: not, condition: { typ: never } }] }");
  assert.deepEqual([deeper.code, place(deeper)], ["missing-field", "4:89"]);
  assert.match(deeper.suggestion ?? "", /did you mean "type"/);
});

/** condition → code, column, what is said, what is suggested */
const refused: readonly [string, string, number, RegExp, RegExp][] = [
  [
    "{ type: tool_name, mtach: Write }",
    "unknown-field",
    35,
    /condition tool_name has no "mtach"/,
    /did you mean "match"/,
  ],
  ["{ type: tool_name }", "missing-field", 16, /condition tool_name needs "match"/, /glob/],
  ["{ type: tool_name, match: 5 }", "wrong-type", 42, /"match" of the condition tool_name needs text or a list/, /./],
  ["{ type: tool_name, match: [Write, 5] }", "wrong-type", 50, /needs text but is 5/, /quotes/],
  ["{ type: tool_name, match: '|' }", "matcher-invalid", 42, /names no tool/, /\*/],
  ["{ type: turn_count }", "missing-field", 16, /needs "threshold"/, /turn/],
  ["{ type: turn_count, threshold: '5' }", "wrong-type", 47, /needs a whole number.* but is "5"/, /./],
  [
    "{ type: tool_calls, threshold: '{{turn.number}}' }",
    "wrong-type",
    47,
    /whole number/,
    /no placeholder can stand here/,
  ],
  ["{ type: always, cooldown: 5 }", "unknown-field", 32, /condition always has no "cooldown"/, /belongs to the rule/],
  [
    "{ type: never, sometimes: true }",
    "unknown-field",
    31,
    /condition never has no "sometimes"/,
    /takes no parameters/,
  ],
  ["{ type: error_type, match: '(' }", "matcher-invalid", 43, /pattern \( cannot be used/, /./],
  ["{ type: expression, expr: 'turn >=' }", "expression-invalid", 49, /expression turn >= cannot be used/, /./],
  ["{ type: expression, expr: 'turns > 3 and tunr' }", "expression-invalid", 57, /tunr/, /turn/],
  ["{ type: all_of }", "missing-field", 16, /condition all_of needs "conditions"/, /list/],
  [
    "{ type: all_of, conditions: { type: always } }",
    "wrong-type",
    44,
    /"conditions" of the condition all_of needs a list/,
    /./,
  ],
  [
    "{ type: not, conditions: [{ type: always }] }",
    "unknown-field",
    29,
    /condition not has no "conditions"/,
    /"condition"/,
  ],
  ["{ type: 5 }", "wrong-type", 24, /type of a condition is a name/, /./],
  ["tool_failed", "wrong-type", 16, /a condition is a map with a type/, /\{ type: tool_failed \}/],
  ["[{ type: always }]", "wrong-type", 16, /a condition is a map/, /all_of/],
  ["{ type: agent }", "unknown-condition", 24, /no condition is called "agent"/, /./],
];

for (const [condition, code, column, says, suggests] of refused) {
  test(`[D19] the condition ${condition} is refused at its place`, () => {
    const { problems, hooks } = compile(file(rule({ condition })));
    const [first] = problems;
    assert.deepEqual([hooks.length, first?.code, first && place(first)], [0, code, `4:${column}`]);
    assert.match(first?.message ?? "", says);
    if (suggests.source !== ".") assert.match(first?.suggestion ?? "", suggests);
  });
}

test("[D58] parameters may be under params, and not in both places", () => {
  assert.deepEqual(when("{ type: turn_count, params: { threshold: 3 } }"), {
    is: "turn_count",
    with: { threshold: 3 },
  });
  assert.equal(wrong("{ type: turn_count, threshold: 3, params: { threshold: 3 } }").code, "duplicate-key");
  assert.equal(wrong("{ type: turn_count, params: 3 }").code, "wrong-type");
});

test("[D43] an expression is read once, when the file is, and its tree is kept", () => {
  const condition = when("{ type: expression, expr: 'turn > 3' }");
  assert.ok(condition && "is" in condition);
  assert.equal(typeof (condition.with as { tree?: unknown }).tree, "object");
});

test("[D39] a pattern that no known tool has is a warning with what was meant, and the rule lives", () => {
  const told = (match: string, modules?: ReadonlySet<string>): string[] => {
    const { hooks, problems } = compile(file(rule({ condition: `{ type: tool_name, match: ${match} }` })), {
      ...(modules ? { modules } : {}),
    });
    assert.equal(hooks.length, 1);
    assert.ok(problems.every(({ severity, code }) => severity === "warning" && code === "unknown-tool"));
    return problems.map(({ message, suggestion }) => `${/"(.*?)"/.exec(message)?.[1]} ${suggestion ?? ""}`.trim());
  };
  const none = new Set<string>();
  for (const known of [
    "Write",
    "'*'",
    "filesystem.*",
    "shell.bash|web.fetch",
    "[Edit, exec_command]",
    "shell",
    "mcp__x__y",
    "mcp__*",
    "'Note*Edit'",
    "'W[ra]ite'",
  ])
    assert.deepEqual(told(known, none), [], known);
  assert.deepEqual(told("Wriet", none), ['Wriet did you mean "Write"?']);
  assert.deepEqual(told("filesystem.wirte"), ['filesystem.wirte did you mean "filesystem.write"?']);
  assert.deepEqual(told("[Read, 'Edit|Nothing']", none), ["Nothing"]);
  assert.deepEqual(told("'filesystem\\..+'", none), ["filesystem\\..+"]);
  assert.deepEqual(told("custom.tool"), [], "any module may be there");
  assert.deepEqual(told("custom.tool", none), ["custom.tool"]);
  assert.deepEqual(told("custom.tool", new Set(["custom"])), []);
});

test("[D76] a condition that was registered is used as a built-in one, with its own parameters", () => {
  const kind = conditionKind("longer", defineCondition({ params: object({ than: text("a text") }), test: () => true }));
  const own = { ...registry, conditions: new Map([...registry.conditions, ["longer", kind]]) };
  const good = compile(file(rule({ condition: "{ type: longer, than: x }" })), { registry: own });
  assert.deepEqual(only(good).when, { is: "longer", with: { than: "x" } });
  const bad = compile(file(rule({ condition: "{ type: longr, than: x }" }), rule({ condition: "{ type: longer }" })), {
    registry: own,
  });
  assert.deepEqual(codes(bad), ["unknown-condition", "missing-field"]);
  assert.match(bad.problems[0]?.suggestion ?? "", /"longer"/);
});

test("[D39] a pattern with brackets that no known tool has is a warning, too", () => {
  const told = (match: string): string[] =>
    compile(file(rule({ condition: `{ type: tool_name, match: "${match}" }` })), {
      modules: new Set(["github", "hookline"]),
    }).problems.map(({ severity, code }) => `${severity} ${code}`);
  for (const match of ["[", "[!a-z", "[Bb]ahs", "[a]"]) assert.deepEqual(told(match), ["warning unknown-tool"], match);
  for (const match of ["[Bb]ash", "[A-Z]*", "filesystem.[rw]*", "g[i]thub.x", "*.create", "[!x]*"])
    assert.deepEqual(told(match), [], match);
});
