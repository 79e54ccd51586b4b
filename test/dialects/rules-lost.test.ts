import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../../src/dialects/config-file.ts";
import {
  codes,
  compile,
  file,
  label,
  lineOf,
  names,
  only,
  origin,
  patterns,
  place,
  problem,
  registry,
  rule,
  write,
} from "./rules-helpers.ts";

const gate = "{ id: g, on: tool_start, condition: { type: always }, action: { type: gate, reason: no } }";
const block = "id: g\non: tool_start\ncondition: { type: always }\naction: { type: gate, reason: no }";
const indented = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** What is around a gate, and where the error stands that takes it away. */
const lost: readonly { what: string; text: string; kind?: "app"; at: string; code: string }[] = [
  { what: "a misspelt hooks", text: `hoks:\n  - ${gate}\n`, at: "1:1", code: "unknown-field" },
  { what: "hooks without its colon", text: `hooks\n  - ${gate}\n`, at: "1:1", code: "syntax" },
  { what: "the same in lines", text: `hooks\n  - ${indented(block, 4)}\n`, at: "1:1", code: "syntax" },
  {
    what: "a map under hooks",
    text: `hooks:\n  g:\n    ${indented(block.replace("id: g\n", ""), 4)}\n`,
    at: "2:3",
    code: "wrong-type",
  },
  { what: "one rule under hooks", text: `hooks: ${gate}\n`, at: "1:8", code: "wrong-type" },
  { what: "a misspelt key in runtime", text: `runtime: { hook: [${gate}] }\n`, at: "1:12", code: "unknown-field" },
  {
    what: "the same in an app file",
    text: `runtime: { hook: [${gate}] }\n`,
    kind: "app",
    at: "1:12",
    code: "unknown-field",
  },
  {
    what: "a misspelt runtime of an app file",
    text: `runtme: { hooks: [${gate}] }\n`,
    kind: "app",
    at: "1:1",
    code: "unknown-field",
  },
  { what: "hooks outside the runtime", text: `hooks: [${gate}]\n`, kind: "app", at: "1:1", code: "shape" },
  { what: "a list under runtime", text: `runtime:\n  - hooks: [${gate}]\n`, at: "2:3", code: "shape" },
  { what: "a map under agents", text: `agents:\n  a:\n    hooks: [${gate}]\n`, at: "2:3", code: "shape" },
  { what: "a rule at the root", text: `${block}\n`, at: "1:1", code: "shape" },
  {
    what: "a gate a little misspelt",
    text: `hoks: [${gate.replace("type: gate", "type: gaet")}]`,
    at: "1:1",
    code: "unknown-field",
  },
  { what: "braces in the place of a list", text: `hooks: {{ ${gate}\n`, at: "1:8", code: "wrong-type" },
];

for (const { what, text, kind = "rules", at, code } of lost) {
  test(`[R46, D3] ${what} opens no door: its gate blocks until it is mended`, async (t) => {
    const compiled = compile(text, { kind });
    const guard = only(compiled);
    assert.deepEqual([guard.steps[0].uses, guard.role, guard.onFailure], ["invalid", "guard", "block"]);
    assert.deepEqual("event" in guard.on && guard.on.event, ["PreToolUse"]);
    const error = compiled.problems.find((one) => one.code === code);
    assert.deepEqual([error && place(error), error?.severity], [at, "error"]);
    assert.ok(compiled.problems.some((one) => one.loses === true || one.code === "syntax"));
    assert.equal((await lineOf(t, compiled).emit("PreToolUse", write)).verdict?.is, "deny");
  });
}

test("[R46] the same in hookline.yaml leaves a guard that fails, and the settings beside it hold", () => {
  for (const text of [
    `hoooks:\n  - ${gate}\n`,
    `hooks:\n  g: ${gate}\n`,
    `${block}\n`,
    `- ${gate}\n`,
    `hooks\n  - ${gate}\n`,
  ]) {
    const { hooks } = readConfig(text, origin, { registry, patterns, label, layer: "project" });
    assert.equal(hooks.length, 1, text);
    assert.equal(hooks[0]?.steps[0].uses, "invalid", text);
  }
  const { config } = readConfig(`hoooks: [${gate}]\napps: [a.yaml]\n`, origin, {
    registry,
    patterns,
    label,
    layer: "project",
  });
  assert.equal(config.apps?.length, 1);
});

test("[R46] a lost guard fails on the events that its text names, and before tool calls where it names none", () => {
  const events = (text: string): unknown => {
    const { on } = only(compile(text));
    return "event" in on && on.event;
  };
  assert.deepEqual(events("hooks\n  - id: g\n    on: [turn_start, turn_end]\n    action: { type: gate }\n"), [
    "UserPromptSubmit",
    "Stop",
  ]);
  assert.deepEqual(
    events("hooks\n  - id: g\n    on:\n    - turn_start\n    - turn_ende\n    action: { type: gate }\n"),
    ["UserPromptSubmit", "Stop"],
  );
  assert.deepEqual(events("hooks\n  - id: g\n    action: { type: gate }\n"), ["PreToolUse"]);
  assert.deepEqual(events(file(rule({ on: "qwertz", action: "{ type: gate }" }))), ["PreToolUse"]);
  assert.deepEqual(events(file(rule({ on: undefined, onn: "tool_start", action: "{ type: gate }" }))), ["PreToolUse"]);
  assert.deepEqual(events(file("- id: g\n  on: tool_start\n  action: { type: gate }")), ["PreToolUse"]);
});

test("what is lost and is no guard, is free, or is a remark leaves none", () => {
  const log = "{ id: l, on: tool_start, condition: { type: always }, action: { type: log, message: x } }";
  for (const text of [
    `hoks: [${log}]`,
    `hooks\n  - ${log}\n`,
    `hoks: [${gate.replace("reason: no", "allow: true")}]`,
    "x-gate: &g { type: gate }\nhooks: [",
    "# action: { type: gate }\nhooks: [",
  ]) {
    const { hooks, problems } = compile(text);
    assert.deepEqual(hooks, [], text);
    assert.ok(problems.some(({ severity }) => severity === "error"));
  }
  assert.deepEqual(compile(`x-rules: [${gate}]\nhooks: []\n`), { hooks: [], problems: [] });
  assert.deepEqual(compile(`notes: [${gate}]\nruntime: {}\n`, { kind: "app" }), { hooks: [], problems: [] });
});

test("[R33] what is too deep is told of one rule, and switches off no guard beside it", () => {
  let condition = "{ type: always }";
  for (let count = 0; count < 120; count++) condition = `{ type: not, condition: ${condition} }`;
  for (const anchor of ["", "&a "]) {
    const compiled = compile(file(`${anchor}${gate}`, rule({ id: "deep", condition }), rule({ id: "after" })));
    assert.deepEqual(names(compiled), ["g", "after"]);
    const one = problem(compiled);
    assert.match(one.message, /^it is nested more than 100 deep/);
    assert.equal(one.line, 5);
  }
});

test("[R33] a tab in each of many rules is told as a tab in each, and the good ones live", () => {
  const broken = Array.from(
    { length: 120 },
    (_, at) => `  - id: x${at}\n\ton: tool_start\n    action: { type: log }\n`,
  );
  const compiled = compile(`hooks:\n${broken.join("")}  - ${gate}\n`);
  assert.deepEqual(names(compiled), ["g"]);
  assert.equal(compiled.problems.length, 120);
  assert.ok(compiled.problems.every(({ message }) => message.startsWith("a tab;")));
});

test("[R46] a text beyond the limits of a whole file still has its guards", () => {
  const text = `hooks:\n  - ${gate}\nx-more: "${"x".repeat(4 * 1024 * 1024)}"\n`;
  const compiled = compile(text);
  assert.equal(only(compiled).steps[0].uses, "invalid");
  assert.equal(compiled.problems[0]?.loses, true);
});

test("nine thousand rules of four megabytes are read", () => {
  const rules = Array.from({ length: 9_000 }, (_, at) =>
    rule({ id: `r${at}`, condition: `{ type: content_contains, keyword: "${"a && b ".repeat(45)}" }` }),
  );
  const text = file(...rules);
  assert.ok(text.length > 3_800_000);
  const { hooks, problems } = compile(text);
  assert.deepEqual([hooks.length, codes({ problems })], [9_000, []]);
});

test("[R46] the rules of a list in brackets are lost together where it is too deep, and its guards block", () => {
  const compiled = compile(`hooks: [${gate}, { id: deep, condition: ${"[".repeat(120)}${"]".repeat(120)} }]\n`);
  assert.equal(only(compiled).steps[0].uses, "invalid");
  assert.ok(compiled.problems.some(({ message }) => /nested more than 100 deep/.test(message)));
});
