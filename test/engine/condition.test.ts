import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileCondition, splitCondition } from "../../src/engine/condition.ts";
import { firstTurn } from "../../src/engine/event.ts";
import type { Condition } from "../../src/engine/hook.ts";
import type { ConditionKind, Patterns, Scope } from "../../src/engine/ports.ts";
import type { Found } from "../../src/engine/record.ts";
import { anything, flag, type Schema } from "../../src/engine/schema.ts";

const patterns: Patterns = {
  regex: () => () => false,
  glob: () => () => false,
  commands: () => ({ commands: [], unknown: [] }),
  expression: () => null,
};
const scope: Scope = {
  event: { id: "e", name: "Stop", at: 0, cwd: "/", data: {}, sender: "test" },
  turn: firstTurn,
  names: [],
  results: [],
};
const asked: string[] = [];
const kind = (part: Partial<ConditionKind> & Pick<ConditionKind, "compile">): ConditionKind => ({
  params: anything,
  ...part,
});
const conditions = new Map<string, ConditionKind>([
  ["says", kind({ params: flag as Schema<never>, compile: (params) => () => params === true })], // compile gets what the schema passed
  [
    "match",
    kind({
      reads: "match",
      compile: (params) => () => params === true,
      describe: (params) => `the value is ${params}`,
    }),
  ],
  ["found", kind({ needs: "changes", compile: (params) => () => params as Found })], // the tests give objects
  [
    "asked",
    kind({
      compile: (params) => () => {
        asked.push(String(params));
        return params !== "no";
      },
    }),
  ],
]);
const compile = (condition: Condition) => compileCondition(condition, { conditions }, patterns);
const holds = (condition: Condition): unknown => compile(condition).test(scope);
const yes: Condition = { is: "says", with: true };
const no: Condition = { is: "says", with: false };

test("all of nothing holds and any of nothing does not", () => {
  assert.deepEqual([holds({ all: [] }), holds({ any: [] }), holds({ not: { any: [] } })], [true, false, true]);
});

test("all, any and not mean what they say, however deep and long", () => {
  const tree: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(yes, no),
      fc.array(tie("node"), { maxLength: 12 }).map((all): Condition => ({ all })),
      fc.array(tie("node"), { maxLength: 12 }).map((any): Condition => ({ any })),
      tie("node").map((not): Condition => ({ not })),
    ),
  })).node;
  const judge = (one: Condition): boolean =>
    "all" in one
      ? one.all.every(judge)
      : "any" in one
        ? one.any.some(judge)
        : "not" in one
          ? !judge(one.not)
          : one.with === true;
  fc.assert(
    fc.property(tree, (condition) => {
      const compiled = compile(condition);
      assert.equal(compiled.test(scope), judge(condition));
      assert.equal(compiled.explain(scope).holds, judge(condition));
      const { fixed, open } = splitCondition(compileCondition(condition, { conditions }, patterns));
      assert.equal((fixed?.test(scope) ?? true) && (open?.test(scope) ?? true), judge(condition));
    }),
  );
});

test("nothing is asked once the answer is known", () => {
  asked.length = 0;
  holds({
    all: [
      { is: "asked", with: "a" },
      { is: "asked", with: "no" },
      { is: "asked", with: "b" },
    ],
  });
  holds({
    any: [
      { is: "asked", with: "c" },
      { is: "asked", with: "d" },
    ],
  });
  assert.deepEqual(asked, ["a", "no", "c"]);
});

test("what tests find is merged by all, and any takes the first", () => {
  const [files, lines]: Condition[] = [
    { is: "found", with: { files: ["a"] } },
    { is: "found", with: { lines: 2 } },
  ];
  assert.ok(files && lines);
  assert.deepEqual(holds({ all: [yes, files, yes, lines] }), { files: ["a"], lines: 2 });
  assert.deepEqual(holds({ all: Array.from({ length: 12 }, (_, index) => (index % 2 ? files : lines)) }), {
    files: ["a"],
    lines: 2,
  });
  assert.deepEqual(holds({ any: [no, lines, files] }), { lines: 2 });
  assert.equal(holds({ not: files }), false);
});

test("[R13] an unknown kind is an error that names the nearest one, also inside not", () => {
  assert.throws(() => compile({ not: { is: "mach" } }), {
    code: "condition_unknown",
    message: /"mach".*when\.not.*"match"/,
  });
  assert.throws(() => compile({ is: "weather" }), { code: "condition_unknown" });
  assert.throws(() => compile({ any_off: [] } as unknown as Condition), { code: "condition_unknown" }); // as a file may say
});

test("[R13] parameters are checked with the kind's schema, and the place is named", () => {
  assert.throws(() => compile({ all: [yes, { is: "says", with: "often" }] }), {
    code: "parameters_invalid",
    message: /says needs true or false but has "often".*when\.all\[1\]/,
  });
  assert.throws(() => compile({ all: "x" } as unknown as Condition), { code: "parameters_invalid" }); // as a file may say
});

test("a tree too deep to test is refused", () => {
  let deep: Condition = yes;
  for (let depth = 0; depth < 20_000; depth++) deep = { not: deep };
  assert.throws(() => compile(deep), { code: "parameters_invalid" });
  let list: Condition = yes;
  for (let depth = 0; depth < 20_000; depth++) list = { all: [list] };
  assert.throws(() => splitCondition(compileCondition(list, { conditions }, patterns)), { code: "parameters_invalid" });
});

test("a condition is static if every leaf reads the match value alone, and its needs are those of its leaves", () => {
  const fixed: Condition = { any: [{ is: "match", with: true }, { not: { is: "match", with: false } }] };
  assert.equal(compile(fixed).isStatic, true);
  assert.equal(compile({ all: [fixed, yes] }).isStatic, false);
  assert.deepEqual([...compile({ all: [fixed, { is: "found", with: {} }] }).needs], ["changes"]);
});

test("a top-level all is split into what the match value decides and the rest", () => {
  const fixed: Condition = { is: "match", with: true };
  const both = splitCondition(
    compileCondition({ all: [yes, { all: [fixed, no] }, { any: [fixed, yes] }] }, { conditions }, patterns),
  );
  assert.equal(both.fixed?.isStatic, true);
  assert.equal(both.open?.isStatic, false);
  assert.deepEqual(Object.keys(splitCondition(compileCondition(fixed, { conditions }, patterns))), ["fixed"]);
  assert.deepEqual(Object.keys(splitCondition(compileCondition({ any: [fixed, yes] }, { conditions }, patterns))), [
    "open",
  ]);
  assert.deepEqual(splitCondition(compileCondition({ all: [] }, { conditions }, patterns)), {});
});

test("explain names the clause that decided", () => {
  const because = (condition: Condition): string => compile(condition).explain(scope).because;
  const [good, bad]: Condition[] = [
    { is: "match", with: true },
    { is: "match", with: "x" },
  ];
  assert.ok(good && bad);
  assert.equal(because({ all: [good, bad, no] }), "not: the value is x");
  assert.equal(because({ all: [good, yes] }), "the value is true and says true");
  assert.equal(because({ any: [bad, no] }), "not: the value is x and not: says false");
  assert.equal(because({ not: bad }), "not: the value is x");
});
