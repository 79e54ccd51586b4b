/** A repository may bring links to devices that never end, and an archive pipes that nobody writes to: no command waits for one or reads it whole. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";

const files =
  ".claude/settings.json .claude/settings.local.json .codex/hooks.json .gemini/settings.json .qwen/settings.json .cursor/hooks.json " +
  ".github/hooks/a.json .opencode/plugins/hookline.js .claude-plugin/plugin.json .mcp.json .hookline/hooks.json .hookline/launch.sh " +
  ".hookline/rules/a.yaml .hookline/hooks/a.sh .hookline/automations/a.yaml .system/hooks/a.yaml hookline.yaml hookline.config.ts app.yaml " +
  "package.json tsconfig.json pyproject.toml Makefile README.md .vscode/settings.json lefthook.yml .husky/pre-commit " +
  ".pre-commit-config.yaml .git/hooks/pre-commit";
const call = JSON.stringify({ tool_name: "Bash", tool_input: { command: "ls" } });
const commands = [
  ["check"],
  ["status"],
  ["doctor"],
  ["list"],
  ["explain", "PreToolUse", "--data", call],
  ["emit", "PreToolUse", "--data", call],
  ["trust", "."],
  ["init", "--dry-run"],
  ["install", "claude-code", "--dry-run"],
];

for (const [what, make] of [
  ["links to a device without end", (path: string) => symlinkSync("/dev/zero", path)],
  ["links to a file of the system without end", (path: string) => symlinkSync("/proc/self/pagemap", path)],
  ["pipes without a writer", (path: string) => void spawnSync("mkfifo", [path])],
] as const)
  test(`where each file of a workspace is one of ${what}, every command ends and says which cannot be read`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "hookline-endless-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const [cwd, home] = [join(folder, "workspace"), join(folder, "home")];
    for (const one of [cwd, home, join(cwd, ".git", "hooks")]) mkdirSync(one, { recursive: true });
    spawnSync("git", ["init", "--quiet"], { cwd });
    for (const file of files.split(" ")) {
      const path = join(cwd, file);
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { force: true });
      make(path);
    }
    const environment = { HOME: home, PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
    for (const words of commands) {
      const { status, stdout, stderr } = runCommand(words, { cwd, environment });
      assert.ok(status !== null && status < 4, `${words[0]}: ${status}`);
      if (words[0] === "check")
        assert.match(
          stdout + stderr,
          /settings\.json:1:1 error unreadable .*(?:no regular file|larger than|cannot be read or written as a file)/,
        );
    }
  });

for (const file of [".git/config", ".git/HEAD", ".git/info/exclude", ".git/commondir", ".gitmodules", ".gitignore"])
  test(`git is not started where ${file} is a pipe or a device, and the sentence names it`, (t) => {
    for (const make of [
      (path: string) => symlinkSync("/dev/zero", path),
      (path: string) => void spawnSync("mkfifo", [path]),
    ]) {
      const folder = mkdtempSync(join(tmpdir(), "hookline-endless-"));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const cwd = join(folder, "workspace");
      emptyRepository(cwd);
      rmSync(join(cwd, file), { force: true });
      make(join(cwd, file));
      const environment = { HOME: join(folder, "home"), PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
      const { status, stderr } = runCommand(["git", "install", "--dry-run"], { cwd, environment });
      assert.equal(status, 3);
      assert.ok(stderr.includes(`git would wait for ${join(cwd, file)}, which is no regular file`), stderr);
    }
  });

test("where a file lies in the place of the state folder, up says what is wrong in words and not by the system's code", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-endless-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const state = join(folder, "state");
  writeFileSync(state, "");
  const environment = { HOME: folder, XDG_STATE_HOME: state, PATH: process.env.PATH ?? "" };
  const { status, stderr } = runCommand(["up"], { cwd: folder, environment });
  assert.equal(status, 3);
  assert.match(stderr, /^hookline: it is no folder — \S+\/state — move it away, or name another place/);
});
