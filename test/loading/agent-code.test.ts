/** What loads code into an agent is a hook file: a person is asked before a call writes it, or starts an agent with it. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { linesIn } from "../../src/engine/skill-lines.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const home = homedir();
const cwd = "/srv/shop";
const managed = managedFoldersOf("linux");

const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });
const write = (file_path: string): Fields => ({ tool_name: "Write", tool_input: { file_path, content: "x" } });

/** Those that are not answered so. */
async function others(t: TestContext, calls: readonly Fields[], is: string | undefined, given: object = {}) {
  const environment = {};
  const line = lineOf(t, { hooks: [selfProtection({ home, environment, managed, ...given })] });
  const found: string[] = [];
  for (const data of calls)
    if ((await line.emit("PreToolUse", data, { cwd })).verdict?.is !== is) found.push(JSON.stringify(data.tool_input));
  return found;
}

const files = [
  "~/.claude/plugins/x/hooks/hooks.json",
  "~/.claude/plugins/installed_plugins.json",
  "~/.claude/dev-mods/x/register.js",
  "~/.claude/skills/x/hooks/hooks.json",
  "~/.claude/skills/x/modules/a.js",
  "~/.claude/skills/x/.claude-plugin/plugin.json",
  ".claude/plugins/x/plugin.json",
  "~/.codex/plugins/x/hooks.json",
  "~/.codex/config.toml",
  "~/.agents/plugins/marketplace.json",
  "~/.gemini/extensions/x/hooks/hooks.json",
  ".gemini/extensions/x/gemini-extension.json",
  "~/.qwen/extensions/x/hooks/hooks.json",
  "~/.copilot/installed-plugins/x/hooks.json",
  "~/.copilot/hooks/mine.json",
  ".github/hooks/mine.json",
  ".github/extensions/x/extension.mjs",
  ".opencode/plugin/x.js",
  ".opencode/plugins/x.ts",
  ".opencode/tool/x.ts",
  "opencode.json",
  "~/.config/opencode/plugin/x.js",
  "~/.pi/agent/extensions/x.ts",
  ".pi/extensions/x.ts",
  ".cursor/hooks.json",
  ".cursor/plugins/x/hooks.json",
  ".factory/hooks.json",
  ".clinerules/hooks/PreToolUse",
  ".kiro/agents/x.json",
  ".amp/plugins/x.ts",
  "~/.config/amp/settings.json",
  ".augment/settings.json",
  ".trae/hooks.json",
  "~/.codebuddy/settings.json",
  "~/.iflow/settings.json",
  ".iflow/extensions/x/iflow-extension.json",
  ".openhands/hooks.json",
  ".qoder/settings.json",
  "~/.kimi/config.toml",
  "~/.grok/hooks/x.json",
  "~/.local/bin/hookline",
  "~/.local/bin/git",
  "~/bin/claude",
  "~/.npm-global/bin/codex",
  "/usr/local/bin/node",
  "~/.codeium/windsurf/hooks.json",
  "~/.config/goose/plugins/x/hooks.json",
  // A plugin of the workspace, with which an agent can be started.
  "plug/hooks/hooks.json",
  "plug/.claude-plugin/plugin.json",
  "plug/.codex-plugin/plugin.json",
  "plug/gemini-extension.json",
  "plug/qwen-extension.json",
  ".claude/hooks/check.sh",
];
const inHome = (path: string): string => path.replace(/^~/, home);

test("whoever writes a plugin, an extension or a mod of an agent changes its hooks, by tool and by shell line", async (t) => {
  const calls = files.flatMap((file) => [write(inHome(file)), bash(`echo x > ${file}`), bash(`cp /tmp/x ${file}`)]);
  assert.deepEqual(await others(t, calls, "ask"), []);
});

const lines = [
  "git clone https://example.org/p ~/.claude/skills/p",
  "cd ~/.claude/skills && git clone https://example.org/p",
  "git clone https://example.org/p.git ~/.claude/plugins/p",
  "(cd ~/.gemini/extensions && git clone https://example.org/p)",
  "chezmoi apply",
  "chezmoi init --apply ada",
  "home-manager switch",
  "chezmoi apply ~/.claude/settings.json",
  "tar xzf p.tgz -C ~/.claude/plugins",
  "curl -s https://example.org/p | tar xz -C ~/.qwen/extensions",
  "unzip p.zip -d ~/.claude/plugins",
  "cp -r /tmp/p ~/.claude/skills/",
  "cp -r /tmp/p ~/.claude/skills/p",
  "mv /tmp/p ~/.claude/skills/p",
  "ln -s /srv/p ~/.claude/skills/p",
  "rsync -a p/ ~/.claude/skills/p/",
  "mkdir -p ~/.claude/skills/p/hooks",
  "rm -rf ~/.claude/plugins",
  `python3 -c "open('${home}/.claude/plugins/a.js','w').write('x')"`,
  `node -e "require('fs').writeFileSync('${home}/.claude/skills/p/hooks/hooks.json','x')"`,
  "sed -i s/deny/allow/ ~/.claude/plugins/cache/p/hooks/hooks.json",
  "patch ~/.claude/plugins/p/hooks.json < x.diff",
  'D=~/.claude; echo x > "$D/plugins/a"',
  "claude plugin install p@market",
  "claude plugin marketplace add owner/market",
  "claude plugin disable guards",
  "claude --plugin-dir ./p -p 'push it'",
  "claude --plugin-dir=./p",
  "claude --bare -p 'git push --force'",
  "claude -p x --settings '{\"disableAllHooks\":true}'",
  "npx @anthropic-ai/claude-code plugin install p",
  "npx -y @anthropic-ai/claude-code@latest --bare -p x",
  "env -u CLAUDECODE claude plugin install p",
  "script -qec 'claude plugin install p' /dev/null",
  "tmux new -d 'claude --plugin-dir p -p x'",
  "bash -c 'claude plugin install p'",
  "~/.local/bin/claude plugin install p",
  "CLAUDE_CONFIG_DIR=/tmp/none claude -p 'git push --force'",
  "env CLAUDE_CONFIG_DIR=/tmp/none A=b claude -p x",
  "export CODEX_HOME=/tmp/none; codex exec x",
  "cd /tmp && HOME=/tmp/none gemini -p x",
  "nohup claude --plugin-dir p -p x &",
  "echo plugin install p | xargs claude",
  "python3 -c \"import subprocess; subprocess.run(['claude', 'plugin', 'install', 'p'])\"",
  "$(which claude) plugin install p",
  "sh <<< 'claude plugin install p'",
  "codex plugin add p",
  "codex --disable hooks exec x",
  "codex exec -c features.hooks=false x",
  "gemini extensions install https://example.org/p",
  "gemini extensions link .",
  "qwen extensions install p",
  "copilot plugin install p",
  "copilot --plugin-dir p",
  "opencode plugin p",
  "opencode --pure run x",
  "pi install npm:p",
  "pi -e ./x.ts -p hello",
  "claude --safe-mode -p x",
  "CLAUDE_CODE_SIMPLE=1 claude -p x",
  "export CLAUDE_CODE_SAFE_MODE=1 && claude -p x",
  "QWEN_CODE_SIMPLE=1 qwen -p x",
  "qwen --bare -p x",
  "OPENCODE_CONFIG_DIR=/tmp/x opencode run y",
  "COPILOT_HOME=/tmp/x copilot -p y",
  "XDG_CONFIG_HOME=/tmp/x claude -p y",
  "XDG_STATE_HOME=/tmp/x codex exec y",
  "codex exec --ignore-user-config x",
  "codex -c hooks.PreToolUse=[] exec x",
  "gemini skills install https://example.org/s",
  "npx skills add owner/repo",
  "npx skills add owner/repo && npx skills list --list",
  `python3 -c "os.system('npx skills add owner/repo; ls --help')"`,
  "npx openskills install owner/repo --dry-run",
  "npx -y skills@latest add owner/repo -g",
  "bunx skills add owner/repo",
  "pnpm dlx skills update",
  "npx add-skill owner/repo",
  "npx openskills install owner/repo",
  "npx claude-code-templates@latest --hook git/auto-push --yes",
  "npx @smithery/cli install x --client claude",
  "npx rulesync generate --features hooks",
  "cursor-agent plugin install x",
];

test("trees that come there, code and archives count too, and so do the agents' own commands, through whatever runs them", async (t) => {
  assert.deepEqual(await others(t, lines.map(bash), "ask"), []);
});

const ordinaryFiles = [
  ".claude/skills/review/SKILL.md",
  "~/.claude/skills/review/SKILL.md",
  "~/.claude/skills/review/scripts/run.py",
  "~/.claude/skills/review/reference/hooks.md",
  ".claude/commands/fix.md",
  ".claude/agents/reviewer.md",
  "~/.claude/CLAUDE.md",
  ".agents/skills/x/SKILL.md",
  ".gemini/commands/x.toml",
  ".qwen/commands/x.md",
  ".opencode/command/x.md",
  ".github/workflows/ci.yml",
  ".github/copilot-instructions.md",
  ".cursor/rules/a.mdc",
  "src/extensions/a.ts",
  "src/hooks/use-thing.ts",
  "~/.pi/agent/prompts/x.md",
];
const ordinaryLines = [
  "ls ~/.claude/plugins",
  "cat ~/.claude/plugins/installed_plugins.json | jq .",
  "python3 ~/.claude/skills/review/scripts/run.py --all",
  "node ~/.claude/plugins/cache/m/p/scripts/check.js",
  "bash ~/.claude/plugins/cache/m/p/run.sh",
  "cp -r .claude/skills/a .claude/skills/b",
  "mkdir -p ~/.claude/skills/review",
  "rm -r .claude/skills/old",
  "git clone https://example.org/p",
  "git clone --depth 1 https://example.org/p vendor/p",
  "grep -rn plugin ~/.claude/plugins",
  "find ~/.claude/skills -name '*.md'",
  "claude --version",
  "npx skills find testing",
  "npx skills list",
  "npx skills add owner/repo --list",
  "npx -y skills@latest add owner/repo -l",
  "npx add-skill owner/repo --list",
  "npx ruler apply --dry-run",
  "npx rulesync generate --check",
  "npx claude-code-templates --agent x --dry-run",
  "npx skills add --help",
  "npx claude-code-templates --help",
  "python skills add",
  "npm run skills add",
  "git commit -m 'say what npx skills add does'",
  "claude plugin list",
  "claude plugin validate ./p",
  "claude plugin --help",
  "claude -p 'write a plugin for the editor'",
  "claude mcp list",
  "CI=1 claude -p 'fix it'",
  "echo 'CLAUDE_CONFIG_DIR=/x claude'",
  "HOME=/tmp/x npm test",
  "codex exec 'install the plugin'",
  "codex exec -c model=gpt-5.4 'fix it'",
  "gemini extensions list",
  "gemini -p 'explain extensions'",
  "opencode run 'write a plugin'",
  "pip install requests",
  "pi -p 'install it'",
  "npm install -g @anthropic-ai/claude-code",
  "git commit -m 'say what claude plugin install does'",
  "echo claude plugin install p",
  "grep -rn 'claude --bare' docs",
  "chezmoi diff",
  "chezmoi apply -n",
  "chezmoi apply ~/.vimrc",
  "tar xzf p.tgz -C vendor",
  "mv src/plugins/a.ts src/plugins/b.ts",
];

test("skills without hooks, scripts that run and what only looks are asked about by nobody", async (t) => {
  const calls = [...ordinaryFiles.map((file) => write(inHome(file))), ...ordinaryLines.map(bash)];
  assert.deepEqual(await others(t, calls, undefined), []);
});

test("in a skill of the user that holds hooks every file counts, and folders that variables have moved count where they are", async (t) => {
  const moved = temporaryFolder(t);
  mkdirSync(join(moved, "skills", "mod", "hooks"), { recursive: true });
  const environment = { CLAUDE_CONFIG_DIR: moved, CODEX_HOME: join(moved, "codex") };
  const counts = [
    write(join(moved, "skills", "mod", "register.js")),
    bash(`echo x >> ${join(moved, "skills", "mod", "register.js")}`),
    write(join(moved, "plugins", "a.json")),
    write(join(moved, "codex", "config.toml")),
  ];
  assert.deepEqual(await others(t, counts, "ask", { environment }), []);
  const free = [write(join(moved, "skills", "plain", "run.js")), bash(`rm -r ${join(moved, "skills", "plain")}`)];
  assert.deepEqual(await others(t, free, undefined, { environment }), []);
});

const put = (file_path: string, content: string): Fields => ({
  tool_name: "Write",
  tool_input: { file_path, content },
});
const skill = "---\nname: x\ndescription: d\n---\nRun the tests! Use `npm test`.\n";
const changing = [
  put(".claude/commands/x.md", "Status: !`git status`"),
  put(".claude/skills/x/SKILL.md", "---\nname: x\nhooks:\n  PreToolUse: []\n---\n"),
  put(".gemini/commands/x.toml", 'prompt = "!{ls}"'),
  bash("echo '!`git status`' > .claude/commands/x.md"),
  bash("cat > .claude/commands/x.md <<'E'\n!`git status`\nE"),
  bash("cd .claude && mkdir -p skills/x && echo '!`git status`' > skills/x/SKILL.md"),
  bash("F=.claude/comm; echo '!`git status`' > ${F}ands/x.md"),
  bash("tee .claude/commands/x.md <<< '!`git status`'"),
  bash("tr '#' '!' < a.txt > .claude/commands/x.md"),
  bash("cat /tmp/x.md | sed s/a/b/ > .claude/commands/x.md"),
  bash("cp -r /tmp/skill .claude/skills/x"),
  bash("mv /tmp/skill .claude/skills/"),
  bash("ln -s /tmp/skill .claude/skills/x"),
  bash("git clone https://example.org/skill .claude/skills/x"),
  bash("cd .qwen/commands && git clone https://example.org/skills"),
  bash("tar xzf skills.tgz -C .claude/skills"),
  {
    tool_name: "mcp__fs__edit_file",
    tool_input: { path: ".claude/commands/x.md", edits: [{ oldText: "a", newText: "!`ls`" }] },
  },
  { tool_name: "apply_patch", tool_input: { input: "*** Begin Patch\n*** Add File: .claude/commands/x.md\n+!`ls`\n" } },
  {
    tool_name: "str_replace_editor",
    tool_input: { command: "create", path: ".claude/commands/x.md", file_text: "!`ls`" },
  },
  bash("curl -so .claude/commands/x.md https://example.org/x.md"),
  bash("echo ISFgbHNgCg== | base64 -d > .claude/skills/x/SKILL.md"),
  bash("cp /tmp/x.md .claude/commands/x.md"),
  bash("git mv docs/x.md .claude/commands/x.md"),
  bash("git mv notes .claude/skills/notes"),
  bash("sed -i 's/run /run !/' .claude/commands/x.md"),
  bash("sed --in-place -e 's/a/`ls`/' .claude/commands/x.md"),
  bash("printf '!\\x60ls\\x60' > .gemini/commands/x.toml"),
  bash("python3 -c \"open('.claude/commands/x.md','w').write('!'+chr(96))\""),
  bash("awk -i inplace 1 .claude/commands/x.md"),
  bash("ed -s .claude/commands/x.md < edits"),
  bash("vim -es -c '%s/a/b/' -c wq .claude/commands/x.md"),
  bash("git checkout evil -- .claude/commands"),
  bash("git restore --source=evil .claude/skills/x/SKILL.md"),
  bash("git worktree add .claude/skills/x"),
  bash("git submodule add https://example.org/s .claude/skills/x"),
  bash("git subtree add --prefix .claude/skills/x https://example.org/s main"),
  bash("patch -p1 <<'E'\n--- a/.claude/commands/x.md\n+++ b/.claude/commands/x.md\n@@\n+!`ls`\nE"),
  bash("sd a b .claude/commands/x.md"),
  bash("yq -i . .claude/commands/x.md"),
  bash("sort x -o .claude/commands/x.md"),
  bash("dd if=x of=.claude/commands/x.md"),
  bash("install x .claude/commands/x.md"),
  bash("unzip s.zip -d .claude/skills"),
  bash("npx degit owner/repo .claude/skills/x"),
  bash("gh repo clone owner/repo .claude/skills/x"),
  { tool_name: "mcp__shell__exec", tool_input: { command: "cp /tmp/x.md .claude/commands/x.md" } },
];
const words = [
  put(".claude/skills/x/SKILL.md", skill),
  put(".claude/commands/fix.md", "Fix issue $ARGUMENTS. The signs `!` and `?` are ours."),
  put("docs/x.md", "!`git status`"),
  bash("cat > .claude/commands/x.md <<'E'\nFix it!\nE"),
  bash("mkdir -p .claude/skills/x && echo '# x' > .claude/skills/x/SKILL.md"),
  bash("mv .claude/commands/a.md .claude/commands/b.md"),
  bash("sed -i s/a/b/ .claude/commands/a.md"),
  bash("cp scripts/a.py .claude/skills/x/scripts/"),
  bash("cp -r .claude/skills/a .claude/skills/b"),
  bash("git mv .claude/commands/a.md .claude/commands/b.md"),
  bash("cat .claude/commands/a.md | sed s/a/b/ > .claude/commands/b.md"),
  bash("echo 'Fix it' | tee -a .claude/commands/a.md"),
  bash("touch .claude/commands/a.md && chmod 644 .claude/commands/a.md"),
  bash("python3 .claude/skills/x/run.py > out.txt"),
  bash("node .claude/skills/x/run.js --fix src"),
  bash("curl -so /tmp/a.md https://example.org/a.md && wc -l .claude/commands/a.md"),
  bash("npx prettier --check .claude/commands/a.md"),
  bash("tar czf /tmp/skills.tgz .claude/skills"),
  bash("rm -r .claude/skills/x"),
  bash("cat .claude/commands/a.md"),
  bash("cat .claude/commands/a.md | tee /tmp/a.md"),
  bash("grep -rn '!`' .claude/commands"),
  bash("git add .claude/commands/a.md && git commit -m 'a command'"),
  bash("git rm -r .claude/skills/x && git diff .claude/commands"),
  bash("npx prettier --write .claude/commands/a.md"),
  bash("python3 .claude/skills/x/scripts/check.py .claude/skills/x"),
  bash("git commit -m 'say how !`ls` works in .claude/commands'"),
];

test("a person is asked before what an agent runs by itself changes: lines and hooks in skills, and files that nobody can read here", async (t) => {
  assert.deepEqual(await others(t, changing, "ask"), []);
  const line = lineOf(t, { hooks: [selfProtection({ home, environment: {}, managed })] });
  const { verdict } = await line.emit("PreToolUse", changing[0] ?? {}, { cwd });
  assert.equal(verdict?.reason, "This would change what an agent runs by itself: `git status`.");
});

test("words for a model without such lines are written, moved and removed without a question, also without a person", async (t) => {
  assert.deepEqual(await others(t, words, undefined), []);
  const line = lineOf(t, { hooks: [selfProtection({ home, environment: {}, managed })], unanswered: "deny" });
  assert.equal((await line.emit("PreToolUse", words[0] ?? {}, { cwd })).verdict, undefined);
  assert.equal((await line.emit("PreToolUse", changing[0] ?? {}, { cwd })).verdict?.is, "deny");
});

test("a text with more lines than anybody writes is read, and all of them count", () => {
  for (const one of ["!{a}", "!{", "!`a`\n", "```!\na\n```\n"]) {
    const found = linesIn(`${one.repeat(50_000)}!\`git push\` !{git push}`, ["quoted", "fenced", "braced"]);
    assert.ok(found.length <= 21);
    assert.ok(
      found.some((line) => line.includes("git push")),
      one,
    );
  }
});
