import assert from "node:assert/strict";
import { test } from "node:test";
import { settings } from "../../../../src/actions/command/protocols/settings.ts";
import type { EventName, Fields } from "../../../../src/engine/event.ts";
import type { Ended } from "../../../../src/engine/program.ts";
import { bash, endOf, eventOf } from "./asking.ts";

const event = eventOf("PreToolUse", bash);
const read = (end: Parameters<typeof endOf>[0]) => settings.read(endOf(end), event, "hook-1");
const failureOf = (end: Parameters<typeof endOf>[0]) => {
  const result = read(end);
  return result.ok ? "none" : result.failure;
};

test("[C36, C57, CT11] exit 2 blocks, and the trimmed stderr is the reason", () => {
  const result = read({ code: 2, stderr: "  Blocked by policy\n" });
  assert.deepEqual(result.outcome, { verdict: { is: "deny", reason: "Blocked by policy", by: "hook-1" } });
});

test("[C36] exit 2 without a word blocks all the same", () => {
  assert.equal(read({ code: 2 }).outcome?.verdict?.reason, "Hook blocked execution");
});

test("[R16, R95] exit 2 blocks whatever stdout holds", () => {
  for (const stdout of ['{"decision":"approve"}', "not JSON {", '{"continue": 7}']) {
    assert.equal(read({ code: 2, stdout, stderr: "no" }).outcome?.verdict?.is, "deny", stdout);
  }
});

test("[C57, CT32] any other exit code fails the step, and the first line of stderr says why", () => {
  const result = read({ code: 1, stdout: "", stderr: "\nTraceback\nmore" });
  assert.deepEqual(result, { ok: false, output: {}, failure: "exit", reason: "exit 1: Traceback" });
  assert.equal(failureOf({ code: 3 }), "exit");
});

const specific = (fields: object): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
const { code: _none, ...crashed } = endOf({ signal: "SIGSEGV" });
const failing: Ended[] = [
  crashed,
  endOf({ code: 1 }),
  endOf({ code: 3, stderr: "boom" }),
  endOf({ code: 127, stderr: "bash: line 1: nosuch: command not found" }),
  endOf({ code: 2, stderr: "bash: -c: line 2: syntax error: unexpected end of file" }),
];

test("[R95] a block, a deny and a question that a program has printed hold whatever became of it then", () => {
  const refusals: [string, string, string][] = [
    ['{"decision":"block","reason":"no"}', "deny", "no"],
    ['{"continue":false,"stopReason":"no"}', "deny", "no"],
    [`starting…\n${specific({ permissionDecision: "deny", permissionDecisionReason: "no" })}\ndone`, "deny", "no"],
    [specific({ permissionDecision: "ask", permissionDecisionReason: "sure?" }), "ask", "sure?"],
  ];
  for (const end of failing) {
    for (const [stdout, is, reason] of refusals) {
      const result = settings.read({ ...end, stdout }, event, "hook-1");
      assert.equal(result.ok, true, stdout);
      const { verdict } = result.outcome ?? {};
      const said = `${JSON.stringify(end)} ${stdout}`;
      assert.equal(verdict?.is, end.code === 2 && stdout.startsWith("{") ? "deny" : is, said);
      if (end.code !== 2) assert.equal(verdict?.reason, reason, said);
    }
  }
});

test("[R95] what a program that failed says to the model and the person arrives, and it has failed all the same", () => {
  const stdout = JSON.stringify({ systemMessage: "look", hookSpecificOutput: { additionalContext: "read me" } });
  for (const end of failing) {
    const result = settings.read({ ...end, stdout }, event, "hook-1");
    assert.deepEqual(result.outcome?.context, ["look", "read me"]);
    assert.deepEqual(result.outcome?.messages, [{ to: "person", text: "look" }]);
    if (end.code !== 2) assert.equal(result.ok, false, JSON.stringify(end));
  }
});

test("[R95] nothing that loosens counts of a program that failed: no allow, no rewrite, no permission", () => {
  const loosening: [EventName, Fields, string][] = [
    ["PreToolUse", { permissionDecision: "allow", updatedInput: { command: "true" } }, "allow, updatedInput"],
    ["PermissionRequest", { decision: { behavior: "allow" } }, "allow"],
    ["PermissionRequest", { updatedPermissions: ["Bash(git *)"] }, "permissions"],
    ["PostToolUse", { updatedToolOutput: "clean" }, "updatedOutput"],
    ["PermissionDenied", { retry: true }, "retry"],
    ["WorktreeCreate", { worktreePath: "/elsewhere" }, "worktreePath"],
    ["MessageDisplay", { displayContent: "clean" }, "displayContent"],
    ["Elicitation", { action: "accept" }, "elicitation"],
  ];
  for (const [name, fields, lost] of loosening) {
    const stdout = JSON.stringify({ hookSpecificOutput: fields });
    const result = settings.read(endOf({ code: 1, stdout }), eventOf(name, bash), "hook-1");
    assert.equal(result.ok, false, stdout);
    assert.deepEqual(result.outcome, {}, stdout);
    assert.match(result.notes?.join() ?? "", new RegExp(`loosens nothing: its ${lost} does not count`));
  }
  const plain = settings.read(endOf({ code: 1, stdout: "hello" }), eventOf("SessionStart"), "hook-1");
  assert.deepEqual(plain, { ok: false, output: {}, failure: "exit", reason: "exit 1" });
});

test("[R95] exit 2 that says nothing on stderr gives the reason of its JSON, and never that of an allow", () => {
  const reasons: [string, string][] = [
    [specific({ permissionDecision: "deny", permissionDecisionReason: "not on main" }), "not on main"],
    ['{"decision":"block","reason":"not on main"}', "not on main"],
    ['{"reason":"not on main"}', "not on main"],
    ['{"continue":false,"stopReason":"not on main"}', "not on main"],
    ['{"decision":"approve","reason":"looks fine"}', "Hook blocked execution"],
    ['{"systemMessage":"hello"}', "Hook blocked execution"],
  ];
  for (const [stdout, reason] of reasons)
    assert.deepEqual(read({ code: 2, stdout }).outcome?.verdict, { is: "deny", reason, by: "hook-1" }, stdout);
  assert.equal(read({ code: 2, stdout: '{"reason":"x"}', stderr: "y" }).outcome?.verdict?.reason, "y");
});

test("[C70a, CT15] a program that was stopped timed out, whatever its stdout held", () => {
  assert.equal(failureOf({ how: "aborted", code: 0, stdout: '{"decision":"block"}' }), "timeout");
});

test("[F5, F9] too much output, a launch failure and a signal are failures with their reasons", () => {
  assert.equal(failureOf({ how: "output", stdout: '{"decision":"approve"}', reason: "output_limit" }), "output");
  assert.equal(failureOf({ how: "launch", reason: "not there" }), "launch");
  const { code: _code, ...killed } = endOf({ signal: "SIGKILL" });
  const result = settings.read(killed, event, "hook-1");
  assert.ok(!result.ok && result.failure === "exit" && result.reason.includes("SIGKILL"));
});

/** What shells and interpreters print, as measured on bash 5.2, dash 0.5.12, Python 3.11, Perl 5.36 and Node 24. */
const neverRan: [number, string][] = [
  [126, "bash: line 1: ./guard.sh: Permission denied"],
  [126, ""],
  [127, "bash: line 1: nosuch: command not found"],
  [127, "bash: /no/such.sh: No such file or directory"],
  [2, "bash: -c: line 2: syntax error: unexpected end of file"],
  [2, "/usr/bin/bash: line 1: x: cannot do that"],
  [2, 'sh: 1: Syntax error: "(" unexpected'],
  [2, "/bin/sh: 1: cannot open /nofile: No such file"],
  [2, "sh: 0: cannot open /no/such.sh: No such file"],
  [2, "/usr/bin/sh: 1: [[: not found\nBlocked: this line only came because of the first"],
  [2, "/hooks/guard.sh: line 3: syntax error: unexpected end of file"],
  [2, "/hooks/guard.sh: line 2: unexpected EOF while looking for matching `\"'"],
  [2, '/hooks/guard.sh: 3: Syntax error: end of file unexpected (expecting "then")'],
  [2, "/usr/bin/python3: can't open file '/no/such.py': [Errno 2] No such file or directory"],
  [2, 'Can\'t open perl script "/no/x.pl": No such file or directory'],
  [1, "ruby: No such file or directory -- x.rb (LoadError)"],
  [1, "Error: Cannot find module '/no/such.js'\n    at x {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}"],
];

test("[X4, R15, CT39] a shell or an interpreter that could not run the hook is a launch failure, never a block", () => {
  for (const [code, stderr] of neverRan) assert.equal(failureOf({ code, stderr }), "launch", stderr);
});

test("[R15] the failure of a script without execute permission names the remedy", () => {
  const result = read({ code: 126, stderr: "bash: line 1: ./guard.sh: Permission denied\n" });
  assert.ok(!result.ok && result.reason.includes("chmod +x ./guard.sh"), JSON.stringify(result));
});

test("[R15, R16] a deny is not lost because bash warned first, or a part of the line failed before it", () => {
  const denied = [
    "bash: warning: command substitution: ignored null byte in input\nno rm",
    "bash: line 1: warning: command substitution: ignored null byte in input\nno rm",
    "bash: line 1: warning: command substitution: ignored null byte in input",
    "bash: line 1: [: x: integer expected\nno rm",
    "/hooks/guard.sh: line 3: syntax error in the arithmetic of the caller\nno rm",
  ];
  for (const stderr of denied) assert.equal(read({ code: 2, stderr }).outcome?.verdict?.is, "deny", stderr);
});

test("[R15, CT39] a shell that warned and then died is a launch failure, whose reason is its death", () => {
  const result = read({
    code: 2,
    stderr:
      "bash: warning: setlocale: LC_ALL: cannot change locale (xx)\nbash: -c: line 1: syntax error near unexpected token `fi'\nbash: -c: line 1: `fi'\n",
  });
  assert.ok(
    !result.ok && result.failure === "launch" && result.reason.includes("syntax error"),
    JSON.stringify(result),
  );
});

test("[R15] a program's own exit 2 stays a decision: with JSON on stdout, or in words that only resemble a shell's", () => {
  const own: [string, string][] = [
    ["{}", "sh: 1: Syntax error: from something that it ran"],
    ["", "line 12: this command is not allowed"],
    ["", "push: 2 commits are missing"],
    ["", "ls: cannot access '/nosuch': No such file or directory"],
  ];
  for (const [stdout, stderr] of own) {
    assert.equal(read({ code: 2, stdout, stderr }).outcome?.verdict?.is, "deny", stderr);
  }
});

test("[C37] only a first line that is exactly the marker detaches", () => {
  assert.equal(settings.detaches?.('{"async": true}'), true);
  for (const line of ['{"async":false}', '{"async":"true"}', "async", "", "null", "{", '[{"async":true}]']) {
    assert.equal(settings.detaches?.(line), false, line);
  }
});
