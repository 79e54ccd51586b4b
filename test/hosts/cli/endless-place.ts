/** A workspace each of whose files is something without an end, and every command there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

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

type Kind = "links to a device without end" | "links to a file of the system without end" | "pipes without a writer";
type Make = (paths: readonly string[]) => void;
const links =
  (target: string): Make =>
  (paths) => {
    for (const path of paths) symlinkSync(target, path);
  };
const kinds: Readonly<Record<Kind, Make>> = {
  "links to a device without end": links("/dev/zero"),
  "links to a file of the system without end": links("/proc/self/pagemap"),
  "pipes without a writer": (paths) => void spawnSync("mkfifo", paths),
};

/** Registers the test of this kind. */
export function everyCommandEnds(kind: Kind): void {
  test(`where each file of a workspace is one of ${kind}, every command ends and says which cannot be read`, (t: TestContext) => {
    const folder = temporaryFolder(t);
    const [cwd, home] = [join(folder, "workspace"), join(folder, "home")];
    emptyRepository(cwd);
    mkdirSync(home);
    const paths = files.split(" ").map((file) => join(cwd, file));
    for (const path of paths) mkdirSync(dirname(path), { recursive: true });
    kinds[kind](paths);
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
}
