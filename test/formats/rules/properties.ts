/** Whatever somebody writes in one rule: nothing throws, the others live, and nothing is lost in silence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { losesHooks } from "../../../src/loading/last-good-guards.ts";
import { compile, file, names, patterns, registry, rule } from "../rules-helpers.ts";

const before = rule({ id: "before" });
const after = rule({ id: "after", on: "[tool_end, error]" });
const middle = `id: middle
on: tool_start
condition:
  type: all_of
  conditions:
    - { type: tool_name, match: "filesystem.write|Bash" }
    - type: not
      condition: { type: content_contains, keyword: "x: y" }
action:
  type: gate
  reason: "because {{tool.name}}"
tags: [a, b]`;
const text = file(before, middle, after);
const start = text.indexOf("middle");
const end = text.lastIndexOf("id: after") - 5;

/** Where a sign may be replaced: not the line breaks, nor the dashes of the list. */
const places = Array.from({ length: end - start }, (_, at) => start + at).filter((at) => {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  return text[at] !== "\n" && at - lineStart >= 3;
});
const sign = fc
  .oneof(fc.constantFrom(..."\t \"'{}[]:,-#&*!|>%@?<=0aZ~\0"), fc.string({ minLength: 1, maxLength: 1 }))
  .map((one) => one.replace(/[\n\r\u0085\u2028\u2029]/g, "x"));
/** Without these lines nothing tells that the rule is a guard, or of what. */
const telling = ["on: tool_start", "action:", "type: gate"];
const lineAt = (at: number): string => text.slice(text.lastIndexOf("\n", at - 1) + 1, text.indexOf("\n", at)).trim();
const edits = fc.array(fc.tuple(fc.constantFrom(...places), sign), { minLength: 1, maxLength: 4 });

/** Anything that YAML can hold, in the place of anything. */
const anything = fc.jsonValue({ maxDepth: 3 });
const types = [...registry.conditions.keys(), ...registry.handlers.keys(), "all_of", "any_of", "not", "chain"];
const typed = fc.record(
  {
    type: fc.oneof(fc.constantFrom(...types), anything),
    match: anything,
    threshold: anything,
    keyword: anything,
    expr: fc.oneof(fc.string({ maxLength: 30 }), anything),
    message: anything,
    params: anything,
    conditions: fc.array(fc.record({ type: fc.constantFrom(...types), condition: anything }), { maxLength: 2 }),
    actions: fc.array(fc.record({ type: fc.constantFrom(...types), message: anything }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const wildRule = fc.record(
  {
    id: fc.oneof(fc.string(), anything),
    on: fc.oneof(fc.constantFrom("tool_start", "turn_end", "tool_ende"), anything),
    condition: fc.oneof(typed, anything),
    action: fc.oneof(typed, anything),
    cooldown: anything,
    timeout: anything,
    tags: anything,
    other: anything,
  },
  { requiredKeys: [] },
);

/** @param rounds of each property */
export function testRuleProperties(rounds: number): void {
  test("[R33, R46, X6] a rule with anything wrong in it takes no other with it, is never lost in silence, and stays a guard or breaks its file", () => {
    assert.deepEqual(names(compile(text)), ["before", "middle", "after"]);
    fc.assert(
      fc.property(edits, (changes) => {
        const signs = text.split("");
        for (const [at, one] of changes) signs[at] = one;
        const compiled = compile(signs.join(""));
        const found = names(compiled);
        assert.equal(found[0], "before");
        assert.equal(found.at(-1), "after");
        for (const { line, column, message } of compiled.problems)
          assert.ok(line >= 1 && line <= 26 && column >= 1, `${line}:${column} ${message}`);
        const isKept = found.length > 2;
        assert.ok(isKept || compiled.problems.some(({ severity }) => severity === "error"));
        const isBroken = compiled.problems.some(losesHooks); // then the file keeps its last good guards, or stands for one
        assert.ok(isKept || isBroken || changes.some(([at]) => telling.includes(lineAt(at))), "the guard is gone");
      }),
      { numRuns: rounds },
    );
  });

  test("[D19] no rule whatever throws: it is a hook that can run, or a finding says why not", async () => {
    const { planHook } = await import("../../../src/engine/plan.ts");
    const { stringify } = await import("yaml");
    fc.assert(
      fc.property(fc.oneof(wildRule, anything), fc.constantFrom("rules", "app", "config"), (wild, kind) => {
        const hooks = [wild];
        const { hooks: compiled, problems } = compile(stringify(kind === "app" ? { runtime: { hooks } } : { hooks }), {
          kind,
        });
        const errors = problems.filter(({ severity }) => severity === "error");
        if (compiled.length === 0) assert.ok(errors.length > 0 || wild === null, JSON.stringify(wild));
        else assert.equal(compiled[0]?.steps[0].uses === "invalid", errors.length > 0);
        for (const hook of compiled) assert.equal(planHook(hook, registry, patterns).fault(), undefined);
      }),
      { numRuns: rounds },
    );
  });
}
