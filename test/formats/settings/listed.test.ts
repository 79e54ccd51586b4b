/** `deny` and `ask` lists of our own hook files: what each entry becomes, and what is said of every wrong one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hook } from "../../../src/engine/hook.ts";
import type { CompiledSettings } from "../../../src/formats/settings/settings.ts";
import { codes, command, compile, type FormatName, only } from "../settings-helpers.ts";

const ours = (source: unknown, name: FormatName = "hookline"): CompiledSettings => compile(source, name);
const deny = (...entries: unknown[]): CompiledSettings => ours({ deny: entries });
const group = (fields: object, event = "PreToolUse"): CompiledSettings => ours({ hooks: { [event]: [fields] } });
const gateOf = ({ steps: [step] }: Hook): object => ({ [step.uses]: step.with });

/** The one problem that says what is wrong, before the one that says what becomes of the guard. */
function fault({ problems }: CompiledSettings): string {
  const { line, column, code, severity, message, suggestion } = problems[0] ?? assert.fail("no problem");
  return `${line}:${column} ${severity} ${code} ${message} (${suggestion})`;
}

const isFailing = ({ role, onFailure, steps: [step] }: Hook): boolean =>
  role === "guard" && onFailure === "block" && step.uses === "invalid";

test("a pattern in a list at the top of the file is a guard of PreToolUse that runs nothing", () => {
  const compiled = ours({ deny: ["Bash(git push --force *)"] });
  assert.deepEqual(compiled.problems, []);
  const hook = only(compiled);
  assert.deepEqual(hook.on, { event: ["PreToolUse"], as: ["PreToolUse"] });
  assert.deepEqual(hook.when, { is: "tool", with: "Bash(git push --force *)" });
  assert.deepEqual(gateOf(hook), { gate: { reason: ".claude/settings.json denies Bash(git push --force *)." } });
  assert.deepEqual([hook.role, hook.onFailure, hook.mode, hook.priority], ["guard", "block", "sync", 100]);
  assert.equal(hook.name, "deny Bash(git push --force *)");
  assert.deepEqual([hook.origin.line, hook.origin.column], [3, 5]);
});

test("an entry says its patterns, exceptions, reason, suggestion and id", () => {
  const compiled = ours({
    ask: [
      {
        if: ["Bash(rm -rf *)", "Bash(rmdir *)"],
        not: "Bash(rm -rf node_modules)",
        reason: "It deletes work",
        suggestion: "Move it to the trash",
        id: "no-rm",
      },
    ],
  });
  assert.deepEqual(compiled.problems, []);
  const hook = only(compiled);
  assert.equal(hook.id, "no-rm");
  assert.deepEqual(hook.when, {
    is: "tool",
    with: { pattern: ["Bash(rm -rf *)", "Bash(rmdir *)"], not: ["Bash(rm -rf node_modules)"] },
  });
  assert.deepEqual(gateOf(hook), {
    gate: { reason: "It deletes work. Suggestion: Move it to the trash.", ask: true },
  });
});

test("a group holds lists beside its hooks or instead of them, and its matcher holds for both", () => {
  const compiled = group({ matcher: "Bash", deny: ["Bash(a)"], ask: ["Bash(b)"], hooks: [command("x")] });
  assert.deepEqual(compiled.problems, []);
  assert.deepEqual(
    compiled.hooks.map(({ name, when }) => [name, when]),
    [
      ["x", { is: "match", with: "Bash" }],
      ...["a", "b"].map((word) => [
        `${word === "a" ? "deny" : "ask"} Bash(${word})`,
        {
          all: [
            { is: "match", with: "Bash" },
            { is: "tool", with: `Bash(${word})` },
          ],
        },
      ]),
    ],
  );
  assert.deepEqual(
    group({ deny: ["Bash(a)"] }, "PermissionRequest").hooks.map(({ on }) => on),
    [{ event: ["PermissionRequest"], as: ["PermissionRequest"] }],
  );
  assert.deepEqual(only(ours({ PreToolUse: [{ deny: ["Bash(a)"] }] })).name, "deny Bash(a)");
});

test("a list of hooks that name their events holds the lists, too", () => {
  const { hooks } = ours({ hooks: [{ event: "PreToolUse", deny: ["Bash(a)"] }] });
  assert.deepEqual(
    hooks.map(({ name }) => name),
    ["deny Bash(a)"],
  );
});

test("fields of the group hold for the entries as they hold for handlers", () => {
  const fields = { enabled: false, priority: 5, tags: ["team"], timeout: 9, deny: ["Bash(a)"], hooks: [] };
  const hook = only(group(fields));
  assert.deepEqual([hook.enabled, hook.priority, hook.tags], [false, 5, ["team"]]);
  assert.deepEqual(only(group({ if: "Bash(a)", deny: [{ reason: "no" }] })).when, { is: "tool", with: "Bash(a)" });
});

test("each wrong entry is an error at its place, and a guard that fails stands for it", () => {
  const wrong: [unknown, RegExp][] = [
    [{ reason: "no" }, /^3:5 error missing-field an entry of "deny" names no call \(write "if"/],
    ["", /missing-field an entry of "deny" names no call/],
    [{ if: [] }, /^4:7 error missing-field "if" is an empty list/],
    [{ if: ["Bash(a)", " "] }, /missing-field "if" is a list with an empty pattern/],
    [{ if: 7 }, /wrong-type "if" needs .*text.* but is 7/],
    ["git push", /matcher-invalid the pattern git push cannot be used/],
    [{ if: "Bash(a)", not: ["git push"] }, /^5:7 error matcher-invalid the pattern git push cannot be used/],
    [
      { if: "Bash(a)", raeson: "x" },
      /^5:7 error unknown-field nothing reads "raeson" in "deny" \(did you mean "reason"/,
    ],
    [{ if: "Bash(a)", command: "x" }, /unknown-field .*runs nothing: a handler belongs in the list "hooks"/],
    [{ if: "Bash(a)", reason: 5 }, /wrong-type "reason" needs text but is 5/],
    [{ not: "Bash(a)" }, /missing-field an entry of "deny" names no call/],
    [7, /^3:5 error shape an entry of "deny" is a pattern or an object/],
  ];
  for (const [entry, expected] of wrong) {
    const compiled = deny(entry);
    assert.match(fault(compiled), expected, JSON.stringify(entry));
    assert.ok(codes(compiled).includes("guard-invalid"), JSON.stringify(entry));
    assert.ok(isFailing(only(compiled)), JSON.stringify(entry));
  }
});

test("a wrong entry leaves its neighbours", () => {
  assert.deepEqual(
    deny("Bash(a)", 7, "Bash(b)").hooks.map(({ name }) => name),
    ["deny Bash(a)", "invalid guard (PreToolUse)", "deny Bash(b)"],
  );
});

test("a list under a misspelt name is an error, and its entries are guards that fail", () => {
  for (const compiled of [ours({ dney: ["Bash(a)"] }), group({ dney: ["Bash(a)"], hooks: [command("x")] })]) {
    assert.match(fault(compiled), /error shape nothing reads "dney" \(write "deny": \[ … \]\)/);
    assert.deepEqual(codes(compiled), ["shape", "guard-invalid"]);
    const failing = compiled.hooks.filter(isFailing);
    assert.deepEqual(
      failing.map(({ when }) => when),
      [{ is: "tool", with: "Bash(a)" }],
    );
  }
  const { problems } = ours({ dney: "Bash(a)", hooks: {} });
  assert.deepEqual(
    problems.map(({ code, loses, suggestion }) => [code, loses, suggestion]),
    [["unknown-field", true, 'did you mean "deny"?']],
  );
});

test("under an event that decides no call, or is none, the entries are guards of PreToolUse that fail", () => {
  for (const [event, expected] of [
    ["Stop", /error shape no call is decided on Stop, so "deny" says nothing there \(write it under "PreToolUse"\)/],
    ["PostToolUse", /no call is decided on PostToolUse/],
    ["tool_end", /no call is decided on tool_end/],
    ["PreTolUse", /unknown-event no event is called "PreTolUse"/],
  ] as const) {
    const compiled = group({ deny: ["Bash(a)"] }, event);
    assert.match(fault(compiled), expected);
    const hook = only(compiled);
    assert.ok(isFailing(hook), event);
    assert.deepEqual(
      [hook.on, hook.when],
      [
        { event: ["PreToolUse"], as: [event] },
        { is: "tool", with: "Bash(a)" },
      ],
    );
  }
  const inside = ours({ hooks: { deny: ["Bash(a)"] } });
  assert.match(fault(inside), /3:5 error shape nothing reads "deny" inside "hooks" \(write it beside "hooks"\)/);
  assert.ok(isFailing(only(inside)));
});

test("what says nothing is a warning: an empty list, ask where a person is asked already", () => {
  for (const list of [[], null, false]) {
    const compiled = ours({ deny: list });
    assert.match(fault(compiled), /^2:3 warning shape "deny" is empty, so nothing is denied \(write "deny": \["Bash/);
    assert.equal(compiled.hooks.length, 0);
  }
  const compiled = group({ ask: ["Bash(a)"] }, "PermissionRequest");
  assert.match(fault(compiled), /warning ignored-field "ask" has no effect on PermissionRequest.*under "PreToolUse"/);
  assert.equal(compiled.hooks.length, 0);
});

test("a pattern or an object without the list is read as a list of one, with a warning", () => {
  for (const value of ["Bash(a)", { if: "Bash(a)" }]) {
    const compiled = ours({ deny: value });
    assert.match(fault(compiled), /warning shape "deny" holds no list/);
    assert.equal(only(compiled).name, "deny Bash(a)");
  }
});

test("a pattern that can never hold is a warning", () => {
  const warned: [object, RegExp][] = [
    [{ if: "Bsh(git push)" }, /no tool is known as "Bsh", .*"if" may never match \(did you mean "Bash"/],
    [{ if: "Bash(git *)", not: "Bsh(git log)" }, /no tool is known as "Bsh", .*"not" may never match/],
    [{ if: "Bash(git *)", not: ["Bash"] }, /the exception Bash takes all of Bash\(git \*\)/],
    [{ if: "Bash(git *)", not: "shell" }, /the exception shell takes all of Bash\(git \*\)/],
    [{ matcher: "Write|Edit", if: "Bash(git *)" }, /the matcher takes only Write or Edit, so Bash\(git \*\) never/],
    [{ matcher: "Edit(*.ts)", if: "Read(a)" }, /the matcher takes only Edit, so Read\(a\) never matches/],
    [{ if: "Bash(git *)", not: "Edit(a)" }, /Edit\(a\) is an exception to none of the patterns in "if"/],
  ];
  for (const [entry, expected] of warned) {
    const compiled = deny(entry);
    assert.match(fault(compiled), expected);
    assert.deepEqual(codes(compiled), ["matcher-never"]);
    assert.equal(only(compiled).steps[0].uses, "gate");
  }
  for (const entry of [
    "mcp__git",
    "mcp__git__*",
    "shell(git *)",
    "write(*.lock)",
    "mcp__*",
    "Skill(x)",
    { matcher: "Write|Bash", if: "shell(x)" },
    { matcher: "mcp__.*", if: "mcp__a__b" },
    { matcher: "NativeShell|Bash", if: "shell(x)" },
    { matcher: "*", if: "Bash" },
  ])
    assert.deepEqual(codes(deny(entry)), [], JSON.stringify(entry));
});

test("in files of other tools the lists are not read, which a warning says", () => {
  for (const format of ["claude", "gen", "plugin"] as const) {
    const compiled = ours({ hooks: { PreToolUse: [{ deny: ["Bash(a)"], hooks: [command("x")] }] } }, format);
    assert.match(fault(compiled), /warning ignored-field "deny" is read in Hookline's own hook files alone/);
    assert.deepEqual([compiled.hooks.length, compiled.problems.length], [1, 1]);
  }
  const permissions = ours({ permissions: { deny: ["Bash(a)"] }, deny: ["Bash(a)"], hooks: {} }, "claude");
  assert.deepEqual([permissions.hooks, permissions.problems], [[], []]);
});

test("ids of entries name the file and what they say, and a taken id is reported", () => {
  const [first, second] = [deny("Bash(a)", "Bash(b)"), deny("Bash(b)")].map(({ hooks }) => hooks.at(-1)?.id);
  assert.equal(first, second);
  assert.deepEqual(codes(deny({ if: "Bash(a)", id: "x" }, { if: "Bash(b)", id: "x" })), ["duplicate-key"]);
});
