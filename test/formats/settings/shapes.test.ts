import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSettings } from "../../../src/formats/settings/settings.ts";
import { codes, command, compile, formatOf, only, origin, settings } from "../settings-helpers.ts";

test("matchers of every public shape compile", () => {
  const shapes: [string, unknown, unknown][] = [
    ["PreToolUse", undefined, undefined],
    ["PreToolUse", "Write|Edit", { is: "match", with: "Write|Edit" }],
    ["PreToolUse", "Write,Edit,Read", { is: "match", with: "Write,Edit,Read" }],
    ["SessionStart", "^startup$", { is: "match", with: "^startup$" }],
    ["SessionStart", "startup|clear|compact", { is: "match", with: "startup|clear|compact" }],
    ["FileChanged", ".envrc|.env", { is: "match", with: ".envrc|.env" }],
    ["PreToolUse", "^(Write|mcp__.+__(write|edit))$", { is: "match", with: "^(Write|mcp__.+__(write|edit))$" }],
    ["PreToolUse", "Bash(git commit:*)", { is: "tool", with: "Bash(git commit:*)" }],
    ["PreToolUse", { tool_name: "Write|Edit" }, { is: "match", with: "Write|Edit" }],
    ["PreToolUse", ["Write", "Edit"], { is: "match", with: "Write|Edit" }],
  ];
  for (const [event, matcher, when] of shapes) {
    const compiled = compile(settings(event, command("x"), matcher === undefined ? {} : { matcher }));
    assert.deepEqual(only(compiled).when, when, String(matcher));
    assert.deepEqual(compiled.problems, []);
  }
});

test("an expression matcher of an older tool is an error that says how to write it", () => {
  const compiled = compile(settings("PostToolUse", command("x"), { matcher: "tools:Write AND file_paths:**/*.py" }));
  assert.equal(compiled.hooks.length, 0);
  assert.equal(compiled.problems[0]?.code, "matcher-invalid");
  assert.equal(compiled.problems[0]?.suggestion, 'write "matcher": "Write", "if": "Write(**/*.py)"');
});

test("group keys hold for all handlers of the group, and handlers may be in the group itself", () => {
  const grouped = compile({
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          description: "why",
          priority: 5,
          timeout: 9,
          hooks: [command("a"), command("b", { timeout: 3 })],
        },
      ],
    },
  });
  assert.deepEqual(
    grouped.hooks.map(({ priority, steps: [{ timeout }] }) => [priority, timeout]),
    [
      [5, 9],
      [5, 3],
    ],
  );
  assert.deepEqual(grouped.problems, []);
  const flat = only(
    compile({ hooks: { PreToolUse: [{ matcher: "Bash", type: "command", command: "a", "// Description": "x" }] } }),
  );
  assert.deepEqual([flat.when, flat.name], [{ is: "match", with: "Bash" }, "a"]);
});

test("enabled: false is obeyed, and in an agent's file the finding says what the agent does", () => {
  const compiled = compile(settings("Stop", command("x"), { enabled: false }));
  assert.equal(only(compiled).enabled, false);
  assert.deepEqual(codes(compiled), ["disabled"]);
  assert.match(compiled.problems[0]?.message ?? "", /Hookline does not run this hook, but an agent/);
  assert.deepEqual(codes(compile(settings("Stop", command("x"), { enabled: false }), "hookline")), []);
});

test("keys that other tools read are notes, not errors", () => {
  const keys = {
    filePattern: "*.py",
    rewakeMessage: "m",
    rewakeSummary: "s",
    continueOnError: true,
    loop_limit: 3,
    cwd: "x",
  };
  const compiled = compile(settings("Stop", command("x", keys)), "hookline");
  assert.equal(compiled.hooks.length, 1);
  assert.deepEqual(new Set(codes(compiled)), new Set(["ignored-field"]));
});

test("commandWindows is obeyed on Windows and nowhere else", () => {
  const text = JSON.stringify(settings("Stop", command("x.sh", { commandWindows: "x.cmd" })));
  const commandOn = (platform: string): unknown =>
    only(compileSettings(text, origin, { format: formatOf("claude"), platform })).steps[0].with.command;
  assert.deepEqual([commandOn("linux"), commandOn("win32")], ["x.sh", "x.cmd"]);
});

test("a Copilot handler with bash, powershell and timeoutSec compiles", () => {
  const compiled = compile({
    version: 1,
    hooks: { preToolUse: [{ type: "command", bash: "./a.sh", powershell: "./a.ps1", timeoutSec: 15 }] },
  });
  assert.deepEqual(only(compiled).steps[0], {
    uses: "command",
    with: { command: "./a.sh", shell: "bash" },
    timeout: 15,
    onError: "stop",
  });
  assert.deepEqual(only(compiled).on, { event: ["PreToolUse"], as: ["preToolUse"] });
  assert.deepEqual(codes(compiled), ["unknown-event", "shape"]);
});

test("a Cursor file compiles where its events have our names, and says what to write where not", () => {
  const compiled = compile({
    version: 1,
    hooks: {
      stop: [{ command: "./a.sh", loop_limit: 5, failClosed: true }],
      beforeShellExecution: [{ command: "./b.sh" }],
    },
  });
  assert.deepEqual([only(compiled).on, only(compiled).onFailure], [{ event: ["Stop"], as: ["stop"] }, "block"]);
  const unknown = compiled.problems.find(({ severity }) => severity === "error");
  assert.equal(unknown?.suggestion, 'write "PreToolUse" with "matcher": "Bash"');
});

test("hooks as a list with event are read, with the shape that agents want", () => {
  const compiled = compile({
    hooks: [
      { event: "PreToolUse", matcher: "Bash", hooks: [command("a")] },
      { event: "Stop", command: "b" },
      { command: "c" },
    ],
  });
  assert.deepEqual(
    compiled.hooks.map(({ name, on }) => [name, "event" in on && on.event[0]]),
    [
      ["a", "PreToolUse"],
      ["b", "Stop"],
    ],
  );
  assert.deepEqual(
    compiled.problems.map(({ severity, code }) => [severity, code]),
    [
      ["warning", "shape"],
      ["warning", "shape"],
      ["error", "shape"],
    ],
  );
  assert.equal(compiled.problems[0]?.suggestion, 'write "hooks": { "PreToolUse": [ … ] }');
});

test("events without hooks around them are read from hook files, and reported in settings files", () => {
  const bare = { PreToolUse: [{ matcher: { tool_name: "Write" }, hooks: [command("a")] }] };
  assert.equal(compile(bare, "plugin").hooks.length, 1);
  assert.equal(compile(bare, "hookline").hooks.length, 1);
  const inSettings = compile(bare, "claude");
  assert.equal(inSettings.hooks.length, 0);
  assert.deepEqual(codes(inSettings), ["shape"]);
});

test("remarks, $schema, trailing commas and a byte order mark are fine", () => {
  const text = `\uFEFF{
    // a remark
    "$schema": "https://example.com/s.json", "_comment": "c", "//": "d", "description": "e",
    "hooks": { "_comment": "f", "//Stop": [], "Stop": [ { "// Description": "g", "hooks": [ { "command": "a", "_note": 1, }, ], }, ], /* b */ },
  }`;
  for (const format of ["claude", "gen", "plugin", "hookline"] as const) {
    const compiled = compile(text, format);
    assert.equal(only(compiled).steps[0].with.command, "a");
    assert.deepEqual(compiled.problems, []);
  }
});

test("[R33] what is left of a broken file is read, and the fault has its line and column", () => {
  const compiled = compile(
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "command": "a" }] }],\n    "PreToolUse": [{ "hooks": [{ "command": "b" } }]\n',
  );
  assert.ok(compiled.hooks.some(({ name }) => name === "a"));
  const [fault] = compiled.problems;
  assert.deepEqual([fault?.severity, fault?.code, fault?.line], ["error", "syntax", 4]);
});

test("[SD14] a key that is written twice is reported, and both lists of an event run", () => {
  const compiled = compile(
    '{ "hooks": { "Stop": [{ "hooks": [{ "command": "a" }] }], "Stop": [{ "hooks": [{ "command": "b" }] }] } }',
  );
  assert.deepEqual(
    compiled.hooks.map(({ name }) => name),
    ["a", "b"],
  );
  assert.deepEqual(
    compiled.problems.map(({ code, column }) => [code, column]),
    [["duplicate-key", 59]],
  );
});

test("[SD14] prototype keys, deep nesting and large files are refused without a crash", () => {
  const poisoned = compile(
    '{ "hooks": { "__proto__": [], "Stop": [{ "hooks": [{ "command": "a", "constructor": {} }] }] } }',
  );
  assert.equal(poisoned.hooks.length, 1);
  assert.deepEqual(codes(poisoned), ["shape", "shape"]);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined); // nothing reached Object.prototype
  for (const text of [
    `${"[".repeat(200_000)}`,
    `"\n${"[".repeat(200_000)}`,
    `//\r${"[".repeat(200_000)}`,
    " ".repeat(300_000),
  ]) {
    assert.deepEqual(codes(compile(text)), ["shape"]);
  }
});

test("wrong shapes say what to write", () => {
  for (const source of [
    [],
    "text",
    { hooks: "x" },
    { hooks: { Stop: "cmd" } },
    { hooks: { Stop: ["cmd"] } },
    { hooks: { Stop: [{ hooks: ["cmd"] }] } },
  ]) {
    const { problems, hooks } = compile(JSON.stringify(source));
    assert.equal(hooks.length, 0);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["shape"],
    );
    assert.match(problems[0]?.suggestion ?? "", /^write /);
  }
  assert.equal(only(compile({ hooks: { Stop: { hooks: [command("a")] } } })).name, "a");
  const untyped = compile({ hooks: { Stop: [{ hooks: [{ url: "https://x" }] }] } }).problems;
  assert.match(untyped.find(({ code }) => code === "missing-field")?.suggestion ?? "", /"type": "http"/);
  assert.match(compile({ hook: {} }).problems[0]?.suggestion ?? "", /did you mean "hooks"/);
});

test("an entry without a hooks list is reported in a file that an agent reads, which ignores it", () => {
  const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", command: "a" }] } });
  const found = (format: "claude" | "hookline"): string[] =>
    compileSettings(text, origin, { format: formatOf(format) }).problems.map(
      ({ severity, message }) => `${severity} ${message}`,
    );
  assert.match(
    found("claude").join(),
    /^warning an entry of "PreToolUse" has no "hooks" list: .* Claude Code ignores it/,
  );
  assert.deepEqual(found("hookline"), []);
});

test("a key of ours in another tool's file with a meaning of its own costs a note, and not the hook", () => {
  const handler = { type: "command", command: "a", environment: { A: "b" }, priority: "high", tags: { a: 1 } };
  const text = JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } });
  const foreign = compileSettings(text, origin, { format: formatOf("plugin") });
  assert.deepEqual(only(foreign).steps[0].with, { command: "a" });
  assert.deepEqual(
    foreign.problems.map(({ severity, code }) => `${severity} ${code}`),
    ["note ignored-field", "note ignored-field", "note ignored-field"],
  );
  assert.deepEqual(compileSettings(text, origin, { format: formatOf("hookline") }).hooks, []);
});

test("no form of such a key loses a hook of another tool's file", () => {
  const forms = ["x", 7, null, false, ["a"], { a: { b: 1 } }];
  for (const key of ["environment", "priority", "tags", "resident", "enabled"]) {
    for (const form of forms) {
      for (const handler of [
        { type: "command", command: "a" },
        { type: "http", url: "https://a.example" },
      ]) {
        const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ ...handler, [key]: form }] }] } });
        const { hooks, problems } = compileSettings(text, origin, { format: formatOf("plugin") });
        assert.equal(hooks.length, 1, text);
        assert.deepEqual(
          problems.filter(({ severity }) => severity === "error"),
          [],
          text,
        );
      }
    }
  }
});
