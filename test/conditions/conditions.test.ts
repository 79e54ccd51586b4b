import assert from "node:assert/strict";
import { before, test } from "node:test";
import { conditions } from "../../src/conditions/index.ts";
import { loadPatterns, patternNeeds } from "../../src/conditions/patterns.ts";
import { compileCondition } from "../../src/engine/condition.ts";
import { type EventName, type Fields, firstTurn } from "../../src/engine/event.ts";
import type { Condition, Hook } from "../../src/engine/hook.ts";
import { matchNames } from "../../src/engine/plan.ts";
import type { Patterns, Scope } from "../../src/engine/ports.ts";
import { aHook } from "../engine/a-hook.ts";

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns();
});

const scopeOf = (name: EventName, data: Fields, nativeTool?: string): Scope => {
  const event = { id: "e", name, at: 0, cwd: "/srv/app", data, sender: "test", ...(nativeTool ? { nativeTool } : {}) };
  return { event, turn: firstTurn, names: matchNames(event), results: [] };
};
const bash = (command: string): Scope => scopeOf("PreToolUse", { tool_name: "Bash", tool_input: { command } });
const compile = (condition: Condition) => compileCondition(condition, { conditions }, patterns);
const holds = (condition: Condition, scope: Scope): boolean => compile(condition).test(scope) !== false;
const hookWith = (when: Condition, event: EventName = "PreToolUse"): Hook =>
  aHook("h", "x", { on: { event: [event] }, when });

test("[C29, C30, CT1] match compares the event's own match value", () => {
  assert.ok(holds({ is: "match", with: "Bash|Edit" }, bash("ls")));
  assert.ok(!holds({ is: "match", with: "Write" }, bash("ls")));
  assert.ok(holds({ is: "match", with: "^start" }, scopeOf("SessionStart", { source: "startup" })));
  assert.ok(holds({ is: "match", with: "shell" }, bash("ls")));
  assert.ok(!holds({ is: "match", with: "shell" }, scopeOf("Notification", { notification_type: "Bash" })));
  assert.ok(
    holds(
      { is: "match", with: "exec_command" },
      scopeOf("PreToolUse", { tool_name: "Bash", tool_input: {} }, "exec_command"),
    ),
  );
});

test("[C23] match compares a changed file by base name and path, and its lists may hold dots", () => {
  const changed = scopeOf("FileChanged", { file_path: "/srv/app/.env" });
  assert.ok(holds({ is: "match", with: ".envrc|.env" }, changed));
  assert.ok(holds({ is: "match", with: "/srv/app/.env" }, changed));
  assert.ok(!holds({ is: "match", with: ".envrc" }, changed));
});

test("match is remembered per value, so a tool pattern in it is an error", () => {
  assert.equal(compile({ is: "match", with: "Bash" }).isStatic, true);
  assert.throws(() => compile({ is: "match", with: "Bash(git *)" }), {
    code: "pattern_invalid",
    message: /condition tool/,
  });
  assert.throws(() => compile({ is: "match", with: 5 }), { code: "parameters_invalid" });
});

test("[CT7, C73, R10] tool holds on calls that match, and on no event without a tool", () => {
  const git: Condition = { is: "tool", with: "Bash(git *)" };
  assert.ok(holds(git, bash("cd x && git status")));
  assert.ok(!holds(git, bash("npm test")));
  assert.ok(!holds(git, scopeOf("UserPromptSubmit", { prompt: "git status" })));
  assert.ok(!holds({ is: "tool", with: "Bash" }, scopeOf("Stop", {})));
  assert.equal(compile(git).isStatic, false);
});

test("[R10, SD6] a line that cannot be analysed counts as matching, so the hook is asked", () => {
  assert.ok(holds({ is: "tool", with: "Bash(git *)" }, bash('eval "$x"')));
});

test("[C73a] a pattern from the hook's root starts at the folder that the parameters name", () => {
  const edit = scopeOf("PreToolUse", { tool_name: "Edit", tool_input: { file_path: "/srv/lib/a.ts" } });
  assert.ok(holds({ is: "tool", with: { pattern: "Edit(/lib/**)", root: "/srv" } }, edit));
  assert.ok(!holds({ is: "tool", with: "Edit(/lib/**)" }, edit));
  assert.throws(() => compile({ is: "tool", with: { patern: "x" } }), { code: "parameters_invalid" });
});

test("explain says in a sentence whether the event fits a matcher or pattern", () => {
  const stop = scopeOf("Stop", {});
  const because = (condition: Condition, scope = bash("ls")): string => compile(condition).explain(scope).because;
  const table: readonly (readonly [string, string])[] = [
    [because({ is: "match", with: "Write|Edit" }), "the tool is Bash, and the matcher names Write or Edit"],
    [because({ is: "match", with: "Bash|Edit" }), "the tool is Bash, which the matcher names"],
    [because({ is: "match", with: "B.*" }), "the tool is Bash, which fits B.*"],
    [because({ is: "match", with: "^Note" }), "the tool is Bash, which does not fit ^Note"],
    [because({ is: "match", with: "*" }), "the matcher takes everything"],
    [because({ is: "match", with: "Bash" }, stop), "this Stop has nothing to match, and the matcher is Bash"],
    [because({ is: "tool", with: "Bash(git *)" }), "the call does not match Bash(git *)"],
    [because({ is: "tool", with: "Bash(ls)" }), "the call matches Bash(ls)"],
    [because({ not: { is: "tool", with: "Bash(ls)" } }), "the call matches Bash(ls)"],
    [because({ is: "tool", with: "Bash" }, stop), "Stop is about no tool, and the pattern is Bash"],
  ];
  for (const [said, expected] of table) assert.equal(said, expected);
});

test("patternNeeds names exactly the libraries without which a hook cannot be compiled or tested", async () => {
  const none = await loadPatterns({});
  const table: readonly (readonly [Condition, EventName, readonly string[]])[] = [
    [{ is: "match", with: "Bash|Edit" }, "PreToolUse", []],
    [{ is: "match", with: "mcp__.*" }, "PreToolUse", []],
    [{ is: "match", with: "^(Edit|mcp__.+__(write|edit))$" }, "PreToolUse", []],
    [{ is: "match", with: "^[A-Z]" }, "PreToolUse", ["regex"]],
    [{ is: "match", with: ".envrc|.env" }, "FileChanged", []],
    [{ is: "match", with: ".envrc|.env" }, "PreToolUse", ["regex"]],
    [{ is: "tool", with: "Bash" }, "PreToolUse", []],
    [{ is: "tool", with: "Bash(git *)" }, "PreToolUse", ["shell"]],
    [{ is: "tool", with: "shell(git *)" }, "PreToolUse", ["shell"]],
    [{ is: "tool", with: "Edit(*.ts)" }, "PreToolUse", []],
    [{ is: "tool", with: "Edit(./src/**)" }, "PreToolUse", []],
    [{ is: "tool", with: "Edit(~/.ssh/*)" }, "PreToolUse", []],
    [{ is: "tool", with: "Edit(src/)" }, "PreToolUse", []],
    [{ is: "tool", with: "Edit(*.{ts,tsx})" }, "PreToolUse", ["glob"]],
    [{ is: "tool", with: { pattern: "Edit(/a/[bc].ts)", root: "/" } }, "PreToolUse", ["glob"]],
    [{ is: "tool", with: "WebFetch(domain:x.com)" }, "PreToolUse", []],
    [{ is: "always" }, "Stop", []],
    [{ not: { is: "never" } }, "Stop", []],
    [{ is: "agent", with: "reviewer" }, "Stop", []],
    [{ is: "context_pressure" }, "Stop", []],
    [{ is: "turn_count", with: { threshold: 5 } }, "Stop", []],
    [{ any: [{ is: "tool_calls" }, { is: "message_count" }] }, "Stop", []],
    [{ is: "tool_name", with: { match: "filesystem.[rw]*" } }, "PreToolUse", []],
    [{ is: "tool_failed" }, "PreToolUse", []],
    [{ is: "content_contains", with: { keyword: "(a" } }, "PreToolUse", []],
    [{ is: "error_type", with: { match: "Timeout|rate.*" } }, "Stop", []],
    [{ is: "error_type", with: { match: "[Tt]imeout" } }, "Stop", ["regex"]],
    [{ is: "expression", with: { expr: "turn > 3" } }, "Stop", ["expression"]],
    [{ is: "expression", with: { expr: "True", tree: { is: "constant", at: 1, value: true } } }, "Stop", []],
    [
      { any: [{ not: { is: "tool", with: "Bash(git *)" } }, { is: "match", with: "\\d" }] },
      "PreToolUse",
      ["regex", "shell"],
    ],
  ];
  for (const [when, event, expected] of table) {
    const needs = patternNeeds([hookWith(when, event)]);
    const named = Object.entries(needs).filter(([, needed]) => needed);
    assert.deepEqual(named.map(([name]) => name).sort(), [...expected].sort(), JSON.stringify(when));
    const data =
      event === "FileChanged" ? { file_path: "/a/.env" } : { tool_name: "Bash", tool_input: { command: "git x" } };
    const use = (with_: Patterns): unknown => compileCondition(when, { conditions }, with_).test(scopeOf(event, data));
    if (expected.length === 0) use(none);
    else assert.throws(() => use(none), { code: "pattern_invalid" }, JSON.stringify(when));
    use(await loadPatterns(needs));
  }
});

test("a condition that is not ours, and one in a step, is looked at, too", () => {
  assert.deepEqual(patternNeeds([hookWith({ is: "custom" })]), {
    regex: true,
    glob: true,
    shell: true,
    expression: true,
  });
  const hook = hookWith({ all: [] });
  hook.steps[0].skipIf = { is: "tool", with: "Bash(git *)" };
  assert.deepEqual(patternNeeds([hook]), { regex: false, glob: false, shell: true, expression: false });
});

test("[R66] what was not loaded is an error where a hook is compiled, not where it is tested", async () => {
  const none = await loadPatterns({});
  for (const when of [
    { is: "match", with: "[a-c]" },
    { is: "tool", with: "Edit([a])" },
    { is: "tool", with: "Bash(git *)" },
  ]) {
    assert.throws(() => compileCondition(when, { conditions }, none), { code: "pattern_invalid" }, when.with);
  }
});

test("[R9, SD6] a pattern longer than anyone writes is refused", () => {
  assert.throws(() => patterns.regex("a".repeat(1001)), { code: "pattern_invalid" });
  assert.throws(() => patterns.glob("a".repeat(1001)), { code: "pattern_invalid" });
});

test("[R87] an answer that stands on what nobody knows finds why, and so does its contrary", () => {
  const git: Condition = { is: "tool", with: "Bash(git *)" };
  const why = { unknown: "cannot tell what `$X` runs" };
  assert.deepEqual(compile(git).test(bash("$X push")), why);
  assert.deepEqual(compile({ not: git }).test(bash("$X push")), why);
  assert.deepEqual(compile({ any: [git, { is: "tool", with: "Bash(ls)" }] }).test(bash("$X; ls")), true);
  assert.equal(
    compile(git).explain(bash("$X push")).because,
    "cannot tell what `$X` runs, so the call may match Bash(git *)",
  );
});

test("[R87] what a known program does with code makes no pattern about another program hold", () => {
  const line = "python3 -c 'import shutil; shutil.rmtree(x)'";
  assert.ok(!holds({ is: "tool", with: "Bash(git push *)" }, bash(line)));
  assert.ok(holds({ is: "tool", with: "Bash(python3 *)" }, bash(line)));
});
