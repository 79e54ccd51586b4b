/** Files of a person's home folder in whose place something else lies: every command ends, and says which file cannot be read. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCommand } from "../../program.ts";
import { emptyRepository } from "../../repository.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const each = (make: (path: string) => void) => (paths: readonly string[]) => {
  for (const path of paths) make(path);
};
const allKinds: Readonly<Record<string, (paths: readonly string[]) => void>> = {
  "a pipe": (paths) => void spawnSync("mkfifo", paths),
  "a link to /dev/zero": each((path) => symlinkSync("/dev/zero", path)),
  "a folder": each((path) => void mkdirSync(path)),
  "a file of 20 GB": each((path) => {
    const file = openSync(path, "w", 0o600);
    ftruncateSync(file, 20 * 1024 ** 3); // it takes no room
    closeSync(file);
  }),
};

const payload = JSON.stringify({
  ...{ session_id: "s", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } },
});
const ofAgents = [
  ...[".claude/settings.json", ".claude/plugins/installed_plugins.json", ".claude.json", ".codex/config.toml"],
  ...[".codex/hooks.json", ".gemini/settings.json", ".qwen/settings.json", ".cursor/hooks.json"],
  ...[".config/hookline/hooks.json", ".config/hookline/hookline.yaml", ".config/hookline/rules/a.yaml"],
  ...[".config/hookline/automations/a.yaml", ".config/opencode/opencode.json", ".gitconfig", ".config/git/ignore"],
];
const ofState = ["daemon.address", "daemon.state", "daemon-output.log", "http-token", "canary", "trust/a.json"];

function place(t: TestContext): { cwd: string; home: string; state: string; environment: Record<string, string> } {
  const folder = temporaryFolder(t);
  const [cwd, home] = [join(folder, "workspace"), join(folder, "home")];
  emptyRepository(cwd);
  mkdirSync(home);
  const environment = { HOME: home, PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
  return { cwd, home, state: join(home, ".local", "state", "hookline"), environment };
}

function put(make: (paths: readonly string[]) => void, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true, recursive: true });
  }
  make(paths);
}

/** The others are tested by npm run test:slow. */
export const quickKind = "a pipe";

/** Registers the tests of these kinds. */
export function testKinds(isOne: (kind: string) => boolean): void {
  const kinds = Object.fromEntries(Object.entries(allKinds).filter(([kind]) => isOne(kind)));
  for (const [kind, make] of Object.entries(kinds))
    test(`where each settings file of the home folder is ${kind}, every command ends, and check names the file`, (t) => {
      const { cwd, home, environment } = place(t);
      put(
        make,
        ofAgents.map((file) => join(home, file)),
      );
      for (const words of [["check"], ["status"], ["doctor"], ["hook", "claude-code"], ["install", "claude-code"]]) {
        const input = words[0] === "hook" ? payload : "";
        const { status, stdout, stderr } = runCommand(words, { cwd, environment, input });
        assert.ok(status !== null && status < 4, `${words[0]}: ${status} ${stderr}`);
        assert.doesNotMatch(stdout + stderr, /\bE[A-Z]{4,}\b|^\s+at .*:\d+/m);
        if (words[0] === "check" || words[0] === "install") assert.match(stdout + stderr, /\.claude\/settings\.json/);
        if (words[0] === "check") assert.match(stdout, /\.config\/hookline\/hooks\.json:1:1 error unreadable/);
      }
    });

  for (const [kind, make] of Object.entries(kinds))
    test(`where each file of Hookline's own state is ${kind}, every command ends`, (t) => {
      const { cwd, state, environment } = place(t);
      const { HOOKLINE_DAEMON: _, ...withDaemon } = environment; // then it writes the clients that ask one
      const installed = runCommand(["install", "claude-code"], { cwd, environment: withDaemon });
      assert.equal(installed.status, 0, installed.stderr);
      runCommand(["hook", "claude-code"], { cwd, environment, input: payload });
      const found = readdirSync(state, { recursive: true, withFileTypes: true })
        .filter(
          (one) => one.isFile() && !/^hookline\.db|^daemon\.lock/.test(one.name) && !one.parentPath.includes("/code"),
        )
        .map((one) => join(one.parentPath, one.name));
      assert.ok(found.length > 3, found.join(" "));
      put(make, [...found, ...ofState.map((file) => join(state, file))]);
      for (const words of [
        ...[["check"], ["status"], ["doctor"], ["hook", "claude-code"], ["trust", "list"], ["down"]],
        ...[
          ["install", "claude-code"],
          ["uninstall", "claude-code"],
        ],
      ]) {
        const input = words[0] === "hook" ? payload : "";
        const { status, stdout, stderr } = runCommand(words, { cwd, environment, input });
        assert.ok(status !== null && status < 4, `${words[0]}: ${status} ${stderr}`);
        assert.doesNotMatch(stdout + stderr, /\bE[A-Z]{4,}\b|^\s+at .*:\d+/m, words[0]);
      }
    });

  for (const [kind, make] of Object.entries(kinds).filter(([one]) => !one.startsWith("a file"))) // that is damage, and moved aside
    test(`where the store is ${kind}, commands say so and an agent's event is decided without it`, (t) => {
      const { cwd, state, environment } = place(t);
      const file = join(state, "hookline.db");
      put(make, [file]);
      for (const words of [["status"], ["doctor"], ["hook", "claude-code"]]) {
        const input = words[0] === "hook" ? payload : "";
        const { status, stdout, stderr } = runCommand(words, { cwd, environment, input });
        assert.equal(status, { status: 3, doctor: 1, hook: 0 }[words[0] ?? ""], `${words[0]} ${stdout}${stderr}`);
        assert.ok((stdout + stderr).includes("hookline.db"), words[0]);
      }
    });
}
