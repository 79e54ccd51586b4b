import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { compileCondition } from "../../src/engine/condition.ts";
import type { EventName, Fields } from "../../src/engine/event.ts";
import type { Condition } from "../../src/engine/hook.ts";
import type { Patterns, Scope } from "../../src/engine/ports.ts";
import { interpret } from "./python-reference.ts";
import { print, type Sample, samples } from "./python-sample.ts";
import { scopeWith, toolClass, worldOf } from "./worlds.ts";

const seed = Number(process.env.HOOKLINE_PROPERTY_SEED ?? 41);

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

/** A condition of specification 003 as its author means it. */
type Clause =
  | { type: "all_of" | "any_of"; conditions: Clause[] }
  | { type: "not"; condition: Clause }
  | { type: "always" | "never" | "tool_failed" }
  | { type: "context_pressure" | "tool_calls" | "message_count"; threshold: number | undefined }
  | { type: "turn_count"; threshold: number; every: number | undefined }
  | { type: "tool_name"; match: string | string[] }
  | { type: "content_contains"; keyword: string; case_sensitive: boolean | undefined }
  | { type: "error_type"; match: string }
  | { type: "expression"; sample: Sample };

const globs = [
  "*",
  "Bash",
  "bash",
  "B*",
  "filesystem.*",
  "filesystem.write|shell.bash",
  "write",
  "w*",
  "mcp__*__read",
  "[!B]*",
  "?ash",
  "filesystem\\..+",
  "shell",
  "exec_command",
];
const words = ["boom", "BOOM", "rm -rf", "a", "É", "ok"];
const errors = ["Timeout", "^time", "429|503", "rate", "(?i)REFUSED", "x{2}"];

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 4 });
const leaf: fc.Arbitrary<Clause> = fc.oneof(
  fc.record({ type: fc.constantFrom("always" as const, "never" as const, "tool_failed" as const) }),
  fc.record({ type: fc.constant("tool_failed" as const) }),
  fc.record({
    type: fc.constant("context_pressure" as const),
    threshold: rarely(fc.constantFrom(0, 0.3, 0.5, 0.75, 1)),
  }),
  fc.record({ type: fc.constantFrom("tool_calls" as const, "message_count" as const), threshold: rarely(fc.nat(60)) }),
  fc.record({
    type: fc.constant("turn_count" as const),
    threshold: fc.nat(12),
    every: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  }),
  fc.record({
    type: fc.constant("tool_name" as const),
    match: fc.oneof(fc.constantFrom(...globs), fc.array(fc.constantFrom(...globs), { minLength: 1, maxLength: 3 })),
  }),
  fc.record({
    type: fc.constant("content_contains" as const),
    keyword: fc.constantFrom(...words),
    case_sensitive: rarely(fc.boolean()),
  }),
  fc.record({ type: fc.constant("error_type" as const), match: fc.constantFrom(...errors) }),
  fc.record({ type: fc.constant("expression" as const), sample: samples }),
);
const clauses = fc.letrec<{ clause: Clause }>((tie) => ({
  clause: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    leaf,
    fc.record({
      type: fc.constantFrom("all_of" as const, "any_of" as const),
      conditions: fc.array(tie("clause"), { maxLength: 4 }),
    }),
    fc.record({ type: fc.constant("not" as const), condition: tie("clause") }),
  ),
})).clause;

/** As a dialect would compile it. */
function compiled(clause: Clause): Condition {
  if (clause.type === "all_of") return { all: clause.conditions.map(compiled) };
  if (clause.type === "any_of") return { any: clause.conditions.map(compiled) };
  if (clause.type === "not") return { not: compiled(clause.condition) };
  if (clause.type === "expression") return { is: "expression", with: { expr: print(clause.sample) } };
  const { type, ...given } = clause;
  return { is: type, with: JSON.parse(JSON.stringify(given)) };
}

const tools = ["Bash", "Write", "Edit", "Read", "mcp__files__read", "filesystem.write", "shell.bash"];
const names: readonly EventName[] = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "UserPromptSubmit",
  "Stop",
  "StopFailure",
  "Notification",
];
const says = fc.constantFrom(
  "",
  "boom",
  "so BOOM it goes",
  "rm -rf /",
  "é",
  "Timeout after 3 s",
  "HTTP 429",
  "connection refused",
);
const dataOf = (name: EventName): fc.Arbitrary<Fields> => {
  if (name === "UserPromptSubmit") return fc.record({ prompt: says });
  if (name === "Stop") return fc.record({ last_assistant_message: says });
  if (name === "StopFailure") return fc.record({ error: says, error_details: says }, { requiredKeys: ["error"] });
  if (name === "Notification") return fc.record({ message: says, notification_type: fc.constantFrom("Bash", "idle") });
  const call = {
    tool_name: fc.constantFrom(...tools),
    tool_input: fc.record({ command: says, edits: fc.array(fc.record({ text: says })) }),
  };
  if (name === "PreToolUse") return fc.record(call);
  if (name === "PostToolUse")
    return fc.record({ ...call, tool_response: fc.oneof(says, fc.record({ success: fc.boolean() })) });
  return fc.record({ ...call, error: says });
};
const moments: fc.Arbitrary<Scope> = fc.constantFrom(...names).chain((name) =>
  fc
    .record({
      data: dataOf(name),
      nativeTool: fc.constantFrom(undefined, undefined, "exec_command"),
      turn: fc.record(
        {
          number: fc.nat(12),
          prompt: says,
          answer: says,
          toolCalls: fc.nat(30),
          messages: fc.nat(60),
          toolFailed: fc.boolean(),
          tokens: fc.nat(10),
          window: fc.constantFrom(0, 10),
          error: says,
        },
        { requiredKeys: ["number", "prompt", "answer", "toolCalls", "messages", "toolFailed"] },
      ),
    })
    .map(({ data, nativeTool, turn }) =>
      scopeWith(name, data, turn, nativeTool && "tool_name" in data ? { nativeTool } : {}),
    ),
);

const moduleNames: Readonly<Record<string, readonly string[]>> = {
  Bash: ["shell.bash", "shell.run"],
  Write: ["filesystem.write", "workspace.write"],
  Edit: ["filesystem.edit", "workspace.edit"],
  Read: ["filesystem.read", "workspace.read"],
};

const globExpression = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[.\\+^$(){}|]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")
      .replaceAll("[!", "[^")}$`,
    "s",
  );

function namesTool(match: string | string[], { event: { data, nativeTool } }: Scope): boolean {
  const tool = String(data.tool_name);
  const known = [tool, ...(moduleNames[tool] ?? []), ...(nativeTool === undefined ? [] : [nativeTool])];
  const patterns = [match].flat().flatMap((one) => one.split("|"));
  return patterns.some((one) => one === toolClass[tool] || known.some((name) => globExpression(one).test(name)));
}

const strings = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(strings)
      : [];

function says_(scope: Scope): string[] {
  const { data } = scope.event;
  return [data.prompt, data.last_assistant_message, scope.turn.prompt, scope.turn.answer, data.tool_input].flatMap(
    strings,
  );
}

function errorTexts({ event: { data }, turn }: Scope): string[] {
  const own = [data.error, data.error_details].flatMap(strings).filter((text) => text !== "");
  const told = own.length > 0 ? own : [turn.error ?? ""].filter((text) => text !== "");
  if (told.length === 0) return [];
  const all = told.join("\n");
  const type = /429/.test(all)
    ? "rate_limit"
    : /Timeout/.test(all)
      ? "timeout"
      : /connection/.test(all)
        ? "network"
        : "internal";
  return [type, ...told];
}

function failed({ event: { name, data }, turn }: Scope): boolean {
  if (name === "PostToolUseFailure") return true;
  if (name !== "PostToolUse") return turn.toolFailed;
  const response = data.tool_response;
  return typeof response === "object" && response !== null && "success" in response && response.success === false;
}

const nothings = ["None", "False", "0", "0.0", "-0.0", "''", "[]", "()", "{}"];
class Unanswered extends Error {}

/** What the clause says, in the words of specification 003 and its rulings. */
function means(clause: Clause, scope: Scope): boolean {
  const { turn } = scope;
  switch (clause.type) {
    case "all_of":
      return clause.conditions.every((one) => means(one, scope));
    case "any_of":
      return clause.conditions.some((one) => means(one, scope));
    case "not":
      return !means(clause.condition, scope);
    case "always":
      return true;
    case "never":
      return false;
    case "tool_failed":
      return failed(scope);
    case "context_pressure":
      return (
        turn.tokens !== undefined &&
        Boolean(turn.window) &&
        turn.tokens / (turn.window ?? 1) >= (clause.threshold ?? 0.75)
      );
    case "tool_calls":
      return turn.toolCalls >= (clause.threshold ?? 20);
    case "message_count":
      return turn.messages >= (clause.threshold ?? 50);
    case "turn_count":
      return (
        turn.number === clause.threshold ||
        (clause.every !== undefined &&
          turn.number > clause.threshold &&
          (turn.number - clause.threshold) % clause.every === 0)
      );
    case "tool_name":
      return "tool_name" in scope.event.data && namesTool(clause.match, scope);
    case "content_contains":
      return says_(scope).some((text) =>
        clause.case_sensitive
          ? text.includes(clause.keyword)
          : text.toLowerCase().includes(clause.keyword.toLowerCase()),
      );
    case "error_type": {
      const ignoresCase = clause.match.startsWith("(?i)");
      const expression = new RegExp(clause.match.replace("(?i)", ""), ignoresCase ? "i" : "");
      return errorTexts(scope).some((text) => expression.test(text));
    }
    case "expression": {
      const answer = interpret(clause.sample, { ...worldOf(scope), tool_failed: failed(scope) });
      if (answer === "FAULT") throw new Unanswered(); // the interpreter does not tell missing values from other faults
      return !nothings.includes(answer);
    }
  }
}

/** Undefined where an expression in it has no answer. */
function meansOr(clause: Clause, scope: Scope): boolean | undefined {
  try {
    return means(clause, scope);
  } catch (error) {
    if (error instanceof Unanswered) return undefined;
    throw error;
  }
}

/** HOOKLINE_PROPERTY_RUNS=100000 takes about two minutes. */
export function testTrees(rounds: number): void {
  const runs = Number(process.env.HOOKLINE_PROPERTY_RUNS ?? rounds);
  test("[D33-D48] random condition trees hold where their words say so", () => {
    let held = 0;
    fc.assert(
      fc.property(clauses, moments, (clause, scope) => {
        const expected = meansOr(clause, scope);
        if (expected === undefined) return;
        const condition = compileCondition(compiled(clause), { conditions }, patterns);
        const answer = condition.test(scope) !== false;
        if (scope.faults?.some((fault) => /more than 10000 steps/.test(fault))) return;
        assert.equal(answer, expected);
        assert.equal(condition.explain(scope).holds, expected);
        assert.notEqual(condition.explain(scope).because, "");
        if (expected) held++;
      }),
      { numRuns: runs, seed },
    );
    assert.ok(held > runs / 5 && held < (runs * 4) / 5, `${held} of ${runs} held`);
  });
}
