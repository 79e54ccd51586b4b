/** Which calls the built-in guard asks about, and which it lets pass (D17, T13). */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { packageForTests } from "../../scripts/package-for-tests.ts";
import { patternNeeds } from "../../src/conditions/patterns.ts";
import type { Fields, HookEvent } from "../../src/engine/event.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf, type RuleLine } from "../formats/rules-helpers.ts";
import { runCommand } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Files, world } from "./layers/world.ts";

const home = homedir();
const cwd = "/srv/shop";
const hook = selfProtection({ home, environment: {}, managed: managedFoldersOf("linux") });

const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });
const write = (file_path: string, tool_name = "Write"): Fields => ({ tool_name, tool_input: { file_path } });
const verdictOf = async (line: RuleLine, data: Fields): Promise<string | undefined> =>
  (await line.emit("PreToolUse", data, { cwd })).verdict?.is;

async function verdicts(t: TestContext, calls: readonly Fields[], expected: string | undefined): Promise<void> {
  const line = lineOf(t, { hooks: [hook] });
  const wrong: string[] = [];
  for (const data of calls) if ((await verdictOf(line, data)) !== expected) wrong.push(JSON.stringify(data.tool_input));
  assert.deepEqual(wrong, []);
}

const changed = [
  ".hookline/hooks.json",
  ".hookline/rules/team.yaml",
  ".hookline/hooks/check.sh",
  "packages/a/.hookline/hooks.local.json",
  "hookline.yaml",
  "packages/a/hookline.yml",
  "hookline.config.ts",
  "/elsewhere/repository/hookline.config.mjs",
  `${home}/.config/hookline/config.yaml`,
  `${home}/.config/hookline/rules/mine.yaml`,
  `${home}/.local/state/hookline/trust/a.json`,
  ".claude/settings.json",
  ".claude/settings.local.json",
  `${home}/.claude/settings.json`,
  ".gen/settings.json",
  `${home}/.gen/settings.json`,
  ".gen/plugins/a/plugin.json",
  ".github/hooks/hookline.json",
  `${home}/.copilot/hooks/hookline.json`,
  ".gemini/settings.json",
  `${home}/.gemini/settings.json`,
  ".discobot/hooks/a.sh",
  ".system/hooks/a.yaml",
  ".git/hooks/pre-commit",
  "vendor/lib/.git/hooks/post-checkout",
  ".worktrees/topic/.claude/settings.json",
  `${home}/.cache/clones/shop/.hookline/hooks.json`,
  ".claude/plugins/.mine/hooks.json",
  ".hookline/.off/rules.yaml",
  ".git/config",
  `${home}/.bashrc`,
  `${home}/.zshenv`,
  `${home}/.profile`,
  `${home}/.config/fish/config.fish`,
  `${home}/.gitconfig`,
  "/etc/hookline/hooks.json",
  "src/../.git/hooks/pre-push",
];
const changingLines = [
  "echo exit 0 > .git/hooks/pre-commit",
  "cat >> ~/.bashrc <<'EOF'\nalias ls=rm\nEOF",
  "printf x >.hookline/hooks.json",
  "echo '{}' | tee .claude/settings.json",
  "echo '{}' | sudo tee -a /etc/hookline/hooks.json >/dev/null",
  "rm -rf .git/hooks",
  "rm .hookline/rules/team.yaml",
  "rm -- hookline.yaml",
  "unlink .git/hooks/pre-commit",
  "mv .git/hooks/pre-commit /tmp/",
  "mv evil.json .claude/settings.json",
  "cp evil.sh .git/hooks/pre-commit",
  "cp -t .git/hooks pre-commit",
  "cp settings.json .claude/",
  "install -m 755 hook .git/hooks/pre-push",
  "ln -sf /tmp/evil .git/hooks/pre-commit",
  "chmod -x .git/hooks/pre-commit",
  "truncate -s 0 hookline.yaml",
  "touch .hookline/hooks.json",
  "sed -i s/deny/allow/ .hookline/rules/team.yaml",
  "perl -pi -e 's/a/b/' hookline.yaml",
  "dd if=/dev/null of=.git/config",
  "cd .git/hooks && echo x > pre-commit",
  "cd .git && rm -r hooks",
  "(cd packages/a && rm hookline.yaml)",
  "git commit --no-verify -m x",
  "git commit -n -m x",
  "git commit -anm x",
  "git -C sub commit --no-verify",
  "git push --no-verify",
  "git merge --no-verify topic",
  "git config core.hooksPath /dev/null",
  "git config --global core.hooksPath /tmp/none",
  "git config --unset core.hooksPath",
  "git -c core.hooksPath=/dev/null commit -m x",
  "bash -c 'echo x > .git/hooks/pre-commit'",
  "git rm .hookline/hooks.json",
  "curl -o ~/.zshrc https://example.org/zshrc",
  "wget -O .claude/settings.json https://example.org/s",
  "echo x > $HOME/.bashrc",
  'echo x > "$PWD/.git/hooks/pre-commit"',
  "npm test && rm hookline.config.ts",
];

test("[D17, T13] it asks about each call that changes hooks, settings of hooks or start files, also of files that are not there", async (t) => {
  const tools: Fields[] = [
    ...changed.map((file) => write(file)),
    write(".git/hooks/pre-commit", "Edit"),
    write("hookline.yaml", "MultiEdit"),
    write(".claude/settings.json", "write_file"),
    { tool_name: "mcp__files__write_file", tool_input: { path: ".git/hooks/pre-commit" } },
    { tool_name: "mcp__code__write_file", tool_input: { relative_path: ".hookline/hooks.json" } },
    { tool_name: "mcp__code__edit_file", tool_input: { absolute_path: "/home/me/w/.git/hooks/pre-commit" } },
    { tool_name: "mcp__files__move_file", tool_input: { source: "a", destination: ".hookline/hooks.json" } },
    { tool_name: "apply_patch", tool_input: { input: "*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n" } },
    { tool_name: "apply_patch", tool_input: { patch: "--- a/x\n+++ b/hookline.yaml\n@@\n" } },
  ];
  const calls = [...tools, ...changingLines.map(bash)];
  assert.ok(calls.length >= 60);
  await verdicts(t, calls, "ask");
});

const ordinaryFiles = [
  "src/index.ts",
  "README.md",
  "docs/hookline.md",
  "src/hookline.ts",
  ".github/workflows/ci.yml",
  ".gitignore",
  ".gitattributes",
  ".claude/CLAUDE.md",
  ".claude/commands/a.md",
  "config/settings.json",
  "test/fixtures/bashrc.txt",
  "src/git/hooks/index.ts",
  "src/hooks/useThing.ts",
  ".vscode/settings.json",
  ".env.example",
  "/tmp/notes.txt",
  "dotfiles/.bashrc",
];
const ordinaryLines = [
  "ls -la .git/hooks",
  "cat .git/hooks/pre-commit",
  "cat ~/.bashrc",
  "grep -r deny .hookline",
  "head -5 hookline.yaml > /tmp/head.txt",
  "cp .git/config /tmp/config.txt",
  "cp -r .hookline/rules /tmp/backup",
  "diff .claude/settings.json /tmp/s.json",
  "sed -n 1,5p .hookline/rules/team.yaml",
  "npx hookline list",
  "npx hookline check",
  "git status",
  "git add -A",
  "git add .hookline/hooks.json",
  "git commit -m 'skip --no-verify in the docs'",
  "git commit -m x",
  "git commit -am 'no -n here'",
  "git commit -mn",
  "git commit --amend --no-edit",
  "git config user.name me",
  "git config --get core.hooksPath",
  "git config core.hooksPath",
  "git log -n 5",
  "git push -n origin main",
  "git push origin main",
  "git rebase -i HEAD~2",
  "git diff hookline.yaml",
  "git checkout -b topic",
  "git stash",
  "echo 'rm -rf .git/hooks'",
  'echo "> .git/hooks/pre-commit"',
  "rm -rf node_modules dist",
  "mkdir -p src/hooks",
  "touch src/a.ts",
  "mv src/a.ts src/b.ts",
  "npm test > out.log 2>&1",
  "npm run build && npm test",
  "sed -i s/a/b/ src/a.ts",
  "chmod +x scripts/run.sh",
  "tee /tmp/x < hookline.yaml",
  "find . -name '*.ts' | xargs wc -l",
  "curl -o /tmp/a.tgz https://example.org/a.tgz",
  "source ~/.bashrc",
  "bash .git/hooks/pre-commit",
  "cd .git/hooks && ls",
  "for f in a b; do touch $f.txt; done",
  "node -e 'console.log(1)' > out.txt",
  "docker run --rm -v $PWD:/w image",
];

test("[D17] it asks neither about reading such files nor about ordinary work", async (t) => {
  const tools: Fields[] = [
    ...ordinaryFiles.map((file) => write(file)),
    write("hookline.yaml", "Read"),
    write(".git/hooks/pre-commit", "Read"),
    { tool_name: "Grep", tool_input: { pattern: "x", path: ".hookline" } },
    { tool_name: "mcp__files__read_file", tool_input: { path: ".git/config" } },
    { tool_name: "WebFetch", tool_input: { url: "https://example.org/hookline.yaml" } },
    { tool_name: "Write", tool_input: { file_path: "a.md", content: "echo > .git/hooks/pre-commit" } },
  ];
  const calls = [...tools, ...ordinaryLines.map(bash)];
  assert.ok(calls.length >= 60);
  await verdicts(t, calls, undefined);
});

/** What one command loads before it decides this call. */
const needsOf = (data: Fields, at = cwd): string[] => {
  const event: HookEvent = { id: "e", name: "PreToolUse", at: 0, cwd: at, sender: "test", session: "s", data };
  return Object.entries(patternNeeds([hook], [event])).flatMap(([name, needed]) => (needed ? [name] : []));
};

test("[D17] ordinary calls load no library for it: only a line that could mean such a file is read as a shell reads it", () => {
  const lines = ["ls", "ls -la src", "git status --short", "git commit -m x", "git add -A", "npm test > out.log 2>&1"];
  const more = [
    "cat package.json | head -5",
    "rm -rf node_modules dist",
    "docker run --rm -v $PWD:/w image",
    "cd src && ls",
  ];
  const tools = [write("a.ts"), write("a.ts", "Read"), write(".git/hooks/pre-commit"), write("hookline.yaml", "Edit")];
  for (const data of [...tools, ...[...lines, ...more].map(bash)])
    assert.deepEqual([data.tool_input, needsOf(data)], [data.tool_input, []]);
  assert.deepEqual(needsOf(bash("git status"), "/srv/hookline"), []);
  for (const folder of ["/srv/.git/hooks", `${home}/.config/hookline`, "/srv/.hookline/rules"])
    assert.deepEqual(needsOf(bash("rm a"), folder), ["shell"]);
  const built = ["F=hoo; rm .git/${F}ks/x", "rm .git/hoo''ks/x", "rm $(echo .git/h)ooks", "a=.git/ho; rm $a'oks'"];
  for (const line of [...changingLines, ...built]) assert.deepEqual([line, needsOf(bash(line))], [line, ["shell"]]);
});

test("[D17] it is on unless the user's own file says no, it is listed as built in, and no project's file reaches it", async (t) => {
  const { load } = await world(t);
  const own = "home/.config/hookline/config.yaml";
  const builtIn = async (files: Files, isTrusted: boolean): Promise<unknown[]> => {
    const { set } = await load(files, isTrusted, { builtIn: true });
    return set.hooks.flatMap(({ name, enabled, tags }) => (tags.includes("built in") ? [[name, enabled]] : []));
  };
  const both = [
    ["self_protection", true],
    ["reroute_watch", true],
  ];
  const on = { [own]: "self_protection: true\n" };
  const off = { [own]: "self_protection: false\n" };
  const project = {
    "home/project/hookline.yaml": "self_protection: false\n",
    "home/project/.hookline/hooks.json": '{ "disableAllHooks": true }',
    "home/project/.hookline/rules/a.yaml":
      "hooks:\n  - { id: 'builtin:self_protection', on: tool_start, condition: { type: never }, action: { type: gate } }\n",
  };
  for (const isTrusted of [true, false]) {
    assert.deepEqual(await builtIn({}, isTrusted), both);
    assert.deepEqual(await builtIn(on, isTrusted), both);
    assert.deepEqual(await builtIn(project, isTrusted), both);
    assert.deepEqual(await builtIn({ ...off, "home/project/hookline.yaml": "self_protection: true\n" }, isTrusted), []);
  }
});

test("[D17, T13] what people install asks without any file of theirs, by tool and by shell line, until their own file says no", (t) => {
  const home = temporaryFolder(t);
  const bin = join(packageForTests("asked"), "bin", "hookline.js");
  const environment = { HOME: home, PATH: process.env.PATH ?? "", HOOKLINE_DAEMON: "off" };
  const answerTo = (data: Fields): unknown => {
    const event = { hook_event_name: "PreToolUse", session_id: "s", cwd: home, ...data };
    const called = { bin, cwd: home, environment, input: JSON.stringify(event) };
    const { status, stdout, stderr } = runCommand(["hook", "claude-code"], called);
    assert.deepEqual([status, stderr], [0, ""]);
    return stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput.permissionDecision;
  };
  const calls = [write(".git/hooks/a"), bash("cd .git && rm -r hooks"), write(".git/hooks/a", "Read"), bash("ls")];
  assert.deepEqual(calls.map(answerTo), ["ask", "ask", undefined, undefined]);
  mkdirSync(join(home, ".config", "hookline"), { recursive: true });
  writeFileSync(join(home, ".config", "hookline", "config.yaml"), "self_protection: false\n");
  assert.deepEqual(calls.slice(0, 2).map(answerTo), [undefined, undefined]);
});
