import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { agentVariables } from "../../src/agents/index.ts";
import type { Problem } from "../../src/engine/hook.ts";
import { inspectHooks } from "../../src/formats/inspect.ts";
import { compileScript } from "../../src/formats/scripts/script.ts";
import { compileSettings } from "../../src/formats/settings/settings.ts";
import { formatOf } from "./settings-helpers.ts";

/** The findings about one handler in a project that holds these scripts. */
function inspect(
  context: TestContext,
  handler: object,
  scripts: Record<string, string | [string, number]> = {},
  event = "PreToolUse",
): Problem[] {
  const root = mkdtempSync(join(tmpdir(), "hookline-inspect-"));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(scripts)) {
    const [text, mode] = typeof content === "string" ? [content, 0o755] : content;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  }
  const file = join(root, ".claude/settings.json");
  const text = JSON.stringify({ hooks: { [event]: [{ hooks: [handler] }] } });
  const { hooks } = compileSettings(
    text,
    { dialect: "settings", layer: "project", file, root, plugin: root },
    { format: formatOf("claude") },
  );
  assert.equal(hooks.length, 1);
  const found = inspectHooks(hooks, { cwd: root, home: root, variables: agentVariables, hasProgram: () => true });
  const handlerAt = text.indexOf(JSON.stringify(handler)) + 1;
  for (const { line, column, file: place } of found) assert.deepEqual([place, line, column], [file, 1, handlerAt]);
  return found;
}
const run = (command: string, more: object = {}): object => ({ type: "command", command, ...more });
const codes = (problems: Problem[]): string[] => problems.map(({ code }) => code);

test("a script that is missing is found however its folder is written", (context) => {
  const ways = [
    "./hooks/a.sh",
    "hooks/a.sh --flag",
    'bash "$CLAUDE_PROJECT_DIR"/hooks/a.sh',
    "python3 ${CLAUDE_PROJECT_DIR}/hooks/a.sh",
    "${CLAUDE_PLUGIN_ROOT:-.}/hooks/a.sh",
    '"${CLAUDE_PLUGIN_ROOT}/hooks/a.sh"',
    "~/hooks/a.sh",
    "DEBUG=1 ./hooks/a.sh | tee log",
  ];
  for (const command of ways) {
    assert.deepEqual(codes(inspect(context, run(command))), ["missing-script"], command);
    assert.deepEqual(codes(inspect(context, run(command), { "hooks/a.sh": "#!/bin/bash\nexit 0\n" })), [], command);
  }
  assert.deepEqual(codes(inspect(context, run("node", { args: ["./hooks/a.js"] }))), ["missing-script"]);
});

test("commands without a script, or with one that only a run can know, have no finding", (context) => {
  for (const command of ["npm test", "echo hi > /tmp/x", "$TOOL/bin/x", "jq -r .a", "bash -c 'exit 0'", "", "cat"]) {
    if (command) assert.deepEqual(codes(inspect(context, run(command))), [], command);
  }
});

test("a script that is run itself needs the execute bit, one that an interpreter reads does not", (context) => {
  const scripts: Record<string, [string, number]> = { "a.sh": ["#!/bin/bash\n", 0o644] };
  const [finding] = inspect(context, run("./a.sh"), scripts);
  assert.equal(finding?.code, "not-executable");
  assert.match(finding?.suggestion ?? "", /^chmod \+x .*a\.sh$/);
  assert.deepEqual(codes(inspect(context, run("bash ./a.sh"), scripts)), []);
});

test("a hook that says blocked and exits 1 is reported, inline and in scripts of several languages", (context) => {
  const commands = ["echo Blocked >&2; exit 1", "grep -q rm && { echo 'denied: no'; exit 1; }"];
  for (const command of commands)
    assert.deepEqual(codes(inspect(context, run(command))), ["exit-1-blocks-nothing"], command);
  const scripts = [
    "#!/bin/bash\nif true; then\n  echo 'BLOCKED: no' >&2\n  exit 1\nfi\n",
    "import sys\nprint('Access denied', file=sys.stderr)\nsys.exit(1)\n",
    "console.error('not allowed');\nprocess.exit(1);\n",
  ];
  for (const script of scripts)
    assert.deepEqual(
      codes(inspect(context, run("bash ./a.sh"), { "a.sh": script })),
      ["exit-1-blocks-nothing"],
      script,
    );
});

test("exit 2 after the same words, a far exit 1, and a guard have no such finding", (context) => {
  assert.deepEqual(codes(inspect(context, run("echo blocked >&2; exit 2"))), []);
  const inJson = `echo '{"decision":"block","reason":"not allowed"}'; exit 1`;
  const answers = [
    inJson,
    `echo blocked >&2; echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'; exit 1`,
    `echo '{"continue": false, "stopReason": "forbidden"}'; exit 1`,
    `python3 -c "import json,sys; print(json.dumps({'decision': 'block'})); print('blocked', file=sys.stderr); sys.exit(1)"`,
    'cat <<EOF\n{"permissionDecision": "deny",\n "permissionDecisionReason": "blocked"}\nEOF\necho blocked >&2\nexit 1',
  ];
  for (const answer of answers)
    assert.deepEqual(codes(inspect(context, run(answer))), [], `an answer counts whatever the exit code: ${answer}`);
  for (const none of [
    "python3 -c \"print({'decision': 'block'})\"; exit 1",
    `echo '{"decision":"block"}'; exit 0; echo blocked; exit 1`,
  ])
    assert.deepEqual(codes(inspect(context, run(none))), ["exit-1-blocks-nothing"], none);
  assert.deepEqual(
    codes(inspect(context, run("bash ./a.sh"), { "a.sh": `echo blocked\nexit 2\n${"\n".repeat(9)}exit 1\n` })),
    [],
  );
  assert.deepEqual(codes(inspect(context, run("echo blocked; exit 1", { role: "guard" }))), []);
});

test("what a template left is named", (context) => {
  for (const [command, left] of [
    ["__HOOKS_DIR__/a.sh", "__HOOKS_DIR__"],
    ["/path/to/hooks/a.sh", "/path/to/hooks/a.sh"],
    ["echo YOUR_TOKEN", "YOUR_TOKEN"],
  ] as const) {
    const found = inspect(context, run(command));
    assert.ok(
      found.some(({ code, message }) => code === "placeholder" && message.includes(left)),
      command,
    );
  }
  assert.deepEqual(codes(inspect(context, run("python3 -c 'print(__name__)'"))), []);
});

test("variables that nothing sets are reported with what to read instead; those that are set or given are not", (context) => {
  const names = [
    "CLAUDE_TOOL_FILE_PATH",
    "CLAUDE_TOOL_INPUT_FILE_PATH",
    "CLAUDE_TOOL_COMMAND",
    "CLAUDE_AGENT_NAME",
    "TOOL_NAME",
    "TOOL_INPUT",
  ];
  for (const name of names)
    assert.deepEqual(codes(inspect(context, run(`prettier --write "$${name}"`))), ["unknown-variable"], name);
  const [finding] = inspect(context, run("prettier $CLAUDE_TOOL_FILE_PATH"));
  assert.equal(finding?.suggestion, "read stdin: jq -r '.tool_input.file_path'");
  const [inScript] = inspect(context, run("./a.sh"), { "a.sh": "#!/bin/bash\necho $TOOL_NAME\n" });
  assert.match(inScript?.message ?? "", /in \.\/a\.sh/);
  for (const fine of [
    "echo $CLAUDE_PROJECT_DIR $CLAUDE_CODE_SESSION_ID",
    "TOOL_NAME=$(jq -r .tool_name); echo $TOOL_NAME",
    "read -r TOOL_INPUT; echo $TOOL_INPUT",
  ]) {
    assert.deepEqual(codes(inspect(context, run(fine))), [], fine);
  }
});

test("bash syntax under sh is reported, in the command and in a script that names sh", (context) => {
  assert.deepEqual(codes(inspect(context, run("[[ -f x ]] && true", { shell: "sh" }))), ["bash-syntax"]);
  assert.deepEqual(codes(inspect(context, run("./a.sh"), { "a.sh": "#!/bin/sh\nif [[ $1 == x ]]; then :; fi\n" })), [
    "bash-syntax",
  ]);
  assert.deepEqual(codes(inspect(context, run("[[ -f x ]] && true"))), []);
  assert.deepEqual(codes(inspect(context, run("./a.sh"), { "a.sh": "#!/usr/bin/env bash\n[[ a ]]\n" })), []);
  assert.deepEqual(codes(inspect(context, run("echo '[[ a ]]'", { shell: "sh" }))), []);
});

test("a hook that always allows is reported, and one that decides is not", (context) => {
  const allow = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`;
  assert.deepEqual(codes(inspect(context, run(allow))), ["always-allows"]);
  assert.deepEqual(codes(inspect(context, run("./a.sh"), { "a.sh": `#!/bin/bash\n${allow}\n` })), ["always-allows"]);
  assert.deepEqual(codes(inspect(context, run(`grep -q ls && ${allow}`))), []);
  assert.deepEqual(codes(inspect(context, run(`echo '{"decision":"approve"}'`), {}, "Stop")), []);
});

test("a check that hides that its program failed or is missing is reported", (context) => {
  const root = mkdtempSync(join(tmpdir(), "hookline-inspect-"));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  const found = (...lines: string[]): string[] => {
    const text = ["#!/bin/bash", "#---", "# type: file", '# pattern: "*.go"', "#---", ...lines, ""].join("\n");
    const path = join(root, "check.sh");
    writeFileSync(path, text);
    const origin = { dialect: "script", layer: "project", file: path } as const;
    const { hooks } = compileScript(text, { isExecutable: true }, origin, { label: "check.sh", family: "hookline" });
    return codes(inspectHooks(hooks, { cwd: root, home: root, variables: agentVariables, hasProgram: () => true }));
  };
  const unformatted = "unformatted=$(gofmt -l $HOOKLINE_CHANGED_FILES)";
  assert.deepEqual(found(unformatted, 'test -z "$unformatted"'), ["status-ignored"]);
  assert.deepEqual(found("gofmt -l . || true"), ["status-ignored"]);
  assert.deepEqual(found("set -e", unformatted, 'test -z "$unformatted"'), []);
  assert.deepEqual(found(`${unformatted} || exit 1`, 'test -z "$unformatted"'), []);
  assert.deepEqual(found("count=$((1 + 1))", "gofmt -l ."), []);
  assert.deepEqual(codes(inspect(context, run("lint || true", { role: "guard" }))), ["status-ignored"]);
  assert.deepEqual(codes(inspect(context, run("lint || true"))), []);
});
