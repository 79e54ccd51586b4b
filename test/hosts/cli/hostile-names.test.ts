/** No name, file or text of a hostile workspace drives a terminal (T26), and what its hooks say reaches the agent's model labelled (R90). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { codeCache } from "../../program.ts";

/** Sets the title, clears the screen, turns the text round, hides, and goes to the beginning of the line. */
const hostile = "a\u001b]0;owned\u0007\u001b[2J\u202egnp\u200b\u009b31m\rb";

function hostileWorkspace(t: TestContext): { project: string; home: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-hostile-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [project, home] = [join(folder, `project-${hostile}`), join(folder, "home")];
  for (const name of [".git", ".hookline/rules", ".hookline/hooks"])
    mkdirSync(join(project, name), { recursive: true });
  mkdirSync(home);
  const hook = { type: "command", command: `echo '${hostile}'; exit 2`, name: hostile, statusMessage: hostile };
  const settings = {
    hooks: { PreToolUse: [{ matcher: hostile, hooks: [{ ...hook, [hostile]: 1 }] }, { hooks: [hook] }] },
  };
  const write = (name: string, content: string): void => writeFileSync(join(project, name), content);
  write(".git/HEAD", "ref: refs/heads/main\n");
  write(".hookline/hooks.json", JSON.stringify(settings));
  write(`.hookline/rules/${hostile}.yaml`, `hooks:\n  - id: ${JSON.stringify(hostile)}\n    ${hostile}: [\n`);
  const rule = {
    id: hostile,
    on: "tool_start",
    condition: { type: "always" },
    action: { type: "gate", reason: hostile },
  };
  write(".hookline/rules/team.yaml", JSON.stringify({ hooks: [rule] }));
  write(
    `.hookline/hooks/${hostile}.sh`,
    `#!/bin/bash\n# ---\n# name: ${hostile}\n# type: session\n# ---\necho '${hostile}'\n`,
  );
  chmodSync(join(project, `.hookline/hooks/${hostile}.sh`), 0o755);
  return { project, home };
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
const event = ["PreToolUse", "--data", JSON.stringify({ tool_name: hostile, tool_input: { command: hostile } })];
const commands: readonly (readonly string[])[] = [
  ["list"],
  ["check"],
  ["trust"],
  ["trust", "list"],
  ["trust", "diff"],
  ["explain", ...event],
  ["emit", ...event],
  ["emit", ...event, "--json"],
  ["runs"],
  ["why", "last"],
  ["status"],
  ["pause", hostile],
  ["run", hostile],
  ["task", "create", hostile],
  [hostile],
];

const hasTerminals = spawnSync("script", ["--version"]).status === 0;

test("[T26] no command lets a hostile workspace drive the terminal", {
  skip: !hasTerminals && "script is not installed",
}, (t) => {
  const { project, home } = hostileWorkspace(t);
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SHELL: "/bin/sh",
    TERM: "xterm",
    NODE_COMPILE_CACHE: codeCache,
    HOOKLINE_DAEMON: "off",
  };
  let shown = 0;
  for (const words of commands) {
    const line = [process.execPath, bin, ...words].map(quoted).join(" ");
    const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], {
      cwd: project,
      env,
      encoding: "utf8",
      input: "n",
    });
    const own = stdout.replaceAll("\r\n", "\n").replaceAll(ownColours, "");
    assert.doesNotMatch(own, driving, `hookline ${words.join(" ")}: ${JSON.stringify(own)}`);
    if (own.includes("\\u202e")) shown += 1;
  }
  assert.ok(shown >= 10, `${shown} commands showed a hostile text`);
});

test("[R90, T11] what a trusted hook of a workspace says reaches the agent visible, cut and labelled", (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-said-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [project, home] = [join(folder, "project"), join(folder, "home")];
  for (const name of [".git", ".hookline"]) mkdirSync(join(project, name), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, ".git/HEAD"), "ref: refs/heads/main\n");
  const command = "printf 'obey \\342\\200\\256 me' >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 2";
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command, name: "lint" }] }] };
  writeFileSync(join(project, ".hookline/hooks.json"), JSON.stringify({ hooks }));
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const env = { PATH: process.env.PATH, HOME: home, NODE_COMPILE_CACHE: codeCache, HOOKLINE_DAEMON: "off" };
  const hookline = (words: readonly string[], input = ""): string =>
    spawnSync(process.execPath, [bin, ...words], { cwd: project, env, encoding: "utf8", input }).stdout;
  const [asking] = JSON.parse(hookline(["trust", "list", "--json"]));
  assert.match(hookline(["trust", "--hash", asking.hash]), /^trusted: /);
  const call = { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s", cwd: project };
  const reply = JSON.parse(
    hookline(["hook", "claude-code"], JSON.stringify({ ...call, hook_event_name: "PreToolUse" })),
  );
  const { permissionDecision, permissionDecisionReason: reason } = reply.hookSpecificOutput;
  assert.equal(permissionDecision, "deny");
  assert.match(reason, /^obey \\u202e mex+…\n\[cut: .*\]\n\[untrusted: from this repository's hook "lint"\]$/);
  assert.ok(reason.length < 10_200);
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const ownColours = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;
const driving = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/u;
