/** git brings hook files into the workspace, and takes them away, by lines that name none of them: a person is asked where it would, and only there. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { managedFoldersOf } from "../../src/loading/places.ts";
import { selfProtection } from "../../src/loading/self-protection.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { emptyRepository } from "../repository.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const hook = selfProtection({ home: homedir(), environment: {}, managed: managedFoldersOf("linux") });
const bash = (command: string): Fields => ({ tool_name: "Bash", tool_input: { command } });

/** Those that are not answered so. */
async function others(t: TestContext, commands: readonly string[], is: string | undefined, cwd: string) {
  const line = lineOf(t, { hooks: [hook] });
  const found: string[] = [];
  for (const command of commands)
    if ((await line.emit("PreToolUse", bash(command), { cwd })).verdict?.is !== is) found.push(command);
  return found;
}
const reasonOf = async (t: TestContext, command: string, cwd: string): Promise<string | undefined> =>
  (await lineOf(t, { hooks: [hook] }).emit("PreToolUse", bash(command), { cwd })).verdict?.reason;

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const hooks = '{"disableAllHooks":true}\n';
const stream = `
blob
mark :1
data 2
a

commit refs/heads/before
mark :10
committer Ada <ada@example.org> 1 +0000
data 0
M 100644 :1 a.txt
M 100644 :1 src/b.txt

blob
mark :2
data 3
{}

commit refs/heads/main
mark :11
committer Ada <ada@example.org> 2 +0000
data 0
from :10
M 100644 :2 .claude/settings.json

blob
mark :3
data ${hooks.length}
${hooks}
commit refs/heads/topic
mark :12
committer Ada <ada@example.org> 3 +0000
data 0
from :11
M 100644 :3 a.txt

commit refs/heads/evil
mark :13
committer Ada <ada@example.org> 4 +0000
data 0
from :11
M 100644 :3 .claude/settings.json

commit refs/heads/evil
mark :14
committer Ada <ada@example.org> 5 +0000
data 0
from :13
M 100644 :3 src/b.txt

reset refs/remotes/origin/far
from :14

reset refs/remotes/origin/near
from :12

commit refs/untracked
mark :15
committer Ada <ada@example.org> 6 +0000
data 0
M 100644 :3 hookline.yaml

commit refs/index
mark :16
committer Ada <ada@example.org> 6 +0000
data 0
from :11

commit refs/stash
mark :17
committer Ada <ada@example.org> 7 +0000
data 0
from :11
merge :16
M 100644 :3 a.txt

commit refs/held
mark :18
committer Ada <ada@example.org> 8 +0000
data 0
from :11
merge :16
merge :15
M 100644 :3 a.txt
`;

/** main has hooks. topic and the stash leave them alone, evil and far change them, before has none, and held brings another. */
function repository(t: TestContext): string {
  const folder = temporaryFolder(t);
  emptyRepository(folder);
  execFileSync("git", ["fast-import", "--quiet"], { cwd: folder, input: stream.trimStart() });
  execFileSync("git", ["reset", "-q", "--hard"], { cwd: folder });
  return folder;
}

const asked = `
git checkout evil
git switch far
git checkout -b mine before
git checkout evil .
git merge --no-edit evil
git pull origin far
git pull ../elsewhere main
git rebase evil
git rebase --onto before HEAD~0
git cherry-pick evil~1
git revert main
git reset --hard HEAD~1
git stash apply held
git restore --source=evil .
cd src && git -C .. switch evil
git read-tree evil && git checkout-index -fa
git fetch ../elsewhere main && git merge FETCH_HEAD
git checkout $(cat name)
git switch --orphan x
git switch --orphan=x
git sparse-checkout set src
git sparse-checkout set --no-cone '/*' '!.claude'
git sparse-checkout init --cone
git sparse-checkout reapply
git rm -q $(git ls-files '*.json')
git ls-files '*.json' | xargs git rm
git rm -r ':!src'
git rm '*.json'
git rm --pathspec-from-file=list
git rm -r --cached . && git clean -fd
git read-tree --empty && git clean -fdx
git pull . evil
git pull --rebase . evil
git pull .git evil:main
git fetch . evil:tmp && git merge tmp
git push . evil:tmp && git merge tmp
git checkout evil -- ':!src'
git checkout evil ':(exclude)src'
git checkout evil -- '*.json'
git restore -s evil ':(glob)**/*.json'
cd src && git checkout evil -- ':(top,exclude)src'
cd src && git checkout evil -- ':!b.txt'
bash -c 'B=evil; git checkout "$B"'
`;
const free = `
git checkout topic
git switch near
git checkout -b mine
git checkout evil -- src
git checkout .
git merge topic
git merge evil --abort
git pull
git pull origin near
git fetch https://example.org/x.git main
git rebase topic
git cherry-pick evil
git reset --hard
git reset HEAD~1
git stash -u
git stash pop
git clean -fdx
git diff evil
git branch tmp evil
git checkout no-such-branch
git commit -m "git checkout evil"
git checkout --orphan x
git sparse-checkout set src .claude
git sparse-checkout set .claude/x
git sparse-checkout add src
git sparse-checkout list
git rm -q $(git ls-files '*.txt')
git rm $(git ls-files --deleted)
git rm 'src/*'
git rm src/*.txt
git rm -r --cached . && git add . && git commit -m x
git rm -n -r .
git pull . topic
git push . topic:tmp
git checkout evil -- '*.txt'
git checkout evil -- ':!.claude'
git restore -s evil ':(glob)src/**'
cd src && git checkout evil -- b.txt
`;
const linesOf = (text: string): string[] => text.trim().split("\n");

test("git that would bring in other hook files out of its store, or take some away, is asked about, and the question names them", async (t) => {
  const cwd = repository(t);
  put(cwd, { "lib/.git/HEAD": "ref: refs/heads/main\n" });
  assert.deepEqual(await others(t, [...linesOf(asked), "git pull lib main"], "ask", cwd), []);
  const reason = await reasonOf(t, "git merge evil", cwd);
  assert.equal(reason, "This would bring in other hook files by git, or take some away (.claude/settings.json).");
});

test("of a line with more revisions than are worth the wait a person is asked without a look at each", async (t) => {
  const cwd = repository(t);
  const many = Array.from({ length: 200 }, (_, at) => (0xabcdef0 + at).toString(16));
  const line = lineOf(t, { hooks: [hook] });
  const { verdict } = await line.emit("PreToolUse", bash(`git cherry-pick ${many.join(" ")}`), { cwd });
  assert.match(verdict?.reason ?? "", /cannot look at beforehand/);
});

test("branches, merges and stashes that leave hook files alone are asked about by nobody", async (t) => {
  const cwd = repository(t);
  assert.deepEqual(await others(t, linesOf(free), undefined, cwd), []);
});

test("hook files that are not committed are lost by git as others are: that is asked about", async (t) => {
  const cwd = repository(t);
  put(cwd, { ".claude/settings.json": '{"hooks":{}}\n' });
  assert.deepEqual(await others(t, ["git checkout .", "git reset --hard", "git stash"], "ask", cwd), []);
  put(cwd, { ".claude/settings.json": "{}\r\n", "hookline.yaml": "version: 1\n" });
  assert.deepEqual(await others(t, ["git restore .", "git stash", "git clean -fd src"], undefined, cwd), []);
  assert.deepEqual(await others(t, ["git clean -fd", "git stash -u", "git stash -a"], "ask", cwd), []);
});

test("git runs nothing of the repository that it is asked about, and no revision is an option of its own", async (t) => {
  const cwd = repository(t);
  const sections = ["core", "diff", 'filter "x"', 'diff "x"'];
  const names = ["fsmonitor", "external", "clean", "textconv"];
  const config = names.map((name, at) => `[${sections[at]}]\n\t${name} = touch ${join(cwd, "trap")}\n`);
  appendFileSync(join(cwd, ".git", "config"), config.join(""));
  put(cwd, {
    ".gitattributes": "* filter=x diff=x\n",
    ".claude/settings.json": "{ }\n",
    "hookline.yaml": "version: 1\n",
  });
  assert.deepEqual(await others(t, ["git checkout evil", "git stash -u"], "ask", cwd), []);
  await others(t, ["git merge ./--output=trap", "git read-tree -u '' --output=trap"], undefined, cwd);
  assert.equal(existsSync(join(cwd, "trap")), false);
});

test("an alias of git means what the person's files or the repository's say, without a start of git", async (t) => {
  const cwd = repository(t);
  const aliases = [
    "co = checkout",
    'sw = "switch" # as others',
    "swo = switch --orphan",
    'go = "!f() { git checkout \\"$1\\"; }; f"',
  ];
  put(cwd, { ".git/more": `[alias]\n\tpause = !hookline pause\n\tst = status -sb\n\tmg = merge\n` });
  appendFileSync(join(cwd, ".git", "config"), `[alias]\n\t${aliases.join("\n\t")}\n[include]\n\tpath = more\n`);
  const changing = [
    "git co evil",
    "git -C src co evil",
    "git sw evil",
    "git swo x",
    "git go evil",
    "git mg evil",
    "git pause",
  ];
  assert.deepEqual(await others(t, changing, "ask", cwd), []);
  const calm = ["git co topic", "git co -b mine", "git sw near", "git st", "git mg topic", "git no-such-command evil"];
  assert.deepEqual(await others(t, calm, undefined, cwd), []);
});

test("a tool of a server for git that would bring in other hook files is asked about, and one that leaves them alone is not", async (t) => {
  const cwd = repository(t);
  const line = lineOf(t, { hooks: [hook] });
  const is = async (tool_name: string, tool_input: Fields): Promise<string | undefined> =>
    (await line.emit("PreToolUse", { tool_name, tool_input }, { cwd: homedir() })).verdict?.is;
  assert.equal(await is("mcp__git__git_checkout", { repo_path: cwd, branch_name: "evil" }), "ask");
  assert.equal(await is("mcp__git__git_merge", { path: cwd, branch: "evil" }), "ask");
  assert.equal(await is("mcp__git__checkout", { repo_path: cwd, target: "before" }), "ask");
  assert.equal(await is("mcp__tools__git_reset", { path: cwd, mode: "hard", commit: "HEAD~1" }), "ask");
  assert.equal(await is("mcp__git__git_stash_apply", { repo_path: cwd, stash: "held" }), "ask");
  assert.equal(await is("mcp__git__git_pull", { repo_path: cwd, remote: "origin", branch: "far" }), "ask");
  assert.equal(await is("mcp__git__git_checkout", { repo_path: cwd, branch_name: "topic" }), undefined);
  assert.equal(await is("mcp__git__git_reset", { repo_path: cwd }), undefined);
  assert.equal(await is("mcp__git__git_create_branch", { repo_path: cwd, branch_name: "evil2" }), undefined);
  assert.equal(await is("mcp__github__merge_pull_request", { owner: "a", repo: "b", pull_number: 1 }), undefined);
});
