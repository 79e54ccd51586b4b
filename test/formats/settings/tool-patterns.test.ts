/** `if` as a list and `not` beside it, in the hooks of every settings file. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompiledSettings } from "../../../src/formats/settings/settings.ts";
import { codes, command, compile, type FormatName, only, settings } from "../settings-helpers.ts";

const hook = (more: object, name: FormatName = "hookline", event = "PreToolUse"): CompiledSettings =>
  compile(settings(event, command("x", more)), name);

test("if takes a list of which one must match, and not takes exceptions", () => {
  assert.deepEqual(only(hook({ if: ["Bash(a)", "Edit(b)"], not: "Bash(a b)" })).when, {
    is: "tool",
    with: { pattern: ["Bash(a)", "Edit(b)"], not: ["Bash(a b)"] },
  });
  assert.deepEqual(only(hook({ if: ["Bash(a)"] })).when, { is: "tool", with: "Bash(a)" });
  assert.deepEqual(only(hook({ if: "Bash(a *)", not: ["Bash(a b)", "Bash(a c)"] })).when, {
    is: "tool",
    with: { pattern: "Bash(a *)", not: ["Bash(a b)", "Bash(a c)"] },
  });
  assert.deepEqual(codes(hook({ if: "Bash(a *)", not: ["Bash(a b)"] })), []);
});

test("a pattern from the project's root knows that root, wherever it stands in the lists", () => {
  for (const more of [{ if: ["Read(x)", "Edit(/src/**)"] }, { if: "Edit(*.ts)", not: "Edit(/src/**)" }]) {
    const { when } = only(hook(more));
    assert.ok(when && "is" in when);
    assert.match(JSON.stringify(when.with), /"root":"\/project"/);
  }
});

test("what is no pattern drops the hook, and says where", () => {
  const wrong: [object, string, RegExp][] = [
    [{ if: [] }, "missing-field", /"if" is an empty list/],
    [{ if: "Bash(a)", not: [] }, "missing-field", /"not" is an empty list/],
    [{ if: ["Bash(a)", ""] }, "missing-field", /"if" is a list with an empty pattern/],
    [{ if: ["Bash(a)", 5] }, "wrong-type", /"if.1" needs text but is 5/],
    [{ if: "Bash(a)", not: "git *" }, "matcher-invalid", /git \*/],
    [{ not: "Bash(a)" }, "missing-field", /"not" is an exception to "if", and there is no "if"/],
  ];
  for (const [more, code, message] of wrong) {
    const { hooks, problems } = hook(more);
    assert.deepEqual([hooks.length, problems.map((one) => one.code)], [0, [code]], JSON.stringify(more));
    assert.match(problems[0]?.message ?? "", message);
    assert.ok((problems[0]?.line ?? 0) > 1);
  }
});

test("in a file that an agent reads itself, a list and an exception are read with a note", () => {
  const compiled = hook({ if: ["Bash(a)", "Bash(b)"], not: "Bash(b)" }, "claude");
  assert.deepEqual(
    compiled.problems.filter(({ severity }) => severity === "note").map(({ message }) => message.slice(0, 30)),
    ['"if" is a list, which Hookline', '"not" is read by Hookline; an '],
  );
  assert.equal(compiled.hooks.length, 1);
  assert.deepEqual(codes(hook({ if: "Bash(a)" }, "claude")), []);
});

test("a not of another tool's own, without an if, costs a note and not the hook", () => {
  for (const not of ["Bash(a)", { anything: true }]) {
    const { hooks, problems } = hook({ not }, "claude");
    assert.equal(hooks.length, 1);
    assert.deepEqual(
      problems.map(({ severity, code }) => [severity, code]),
      [["note", "ignored-field"]],
      JSON.stringify(not),
    );
  }
});

test("a list on an event without a tool is reported and kept, so that the hook never runs", () => {
  const compiled = hook({ if: ["Bash(a)", "Bash(b)"] }, "hookline", "Stop");
  assert.deepEqual(codes(compiled), ["if-never"]);
  assert.ok(only(compiled).when);
});
