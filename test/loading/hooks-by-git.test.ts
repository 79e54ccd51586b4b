/** git brings hook files into the workspace, and takes them away, by lines that name none of them: a person is asked where it would, and only there. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import { lineOf } from "../formats/rules-helpers.ts";
import { asked, bash, hook, linesOf, others, put, reasonOf, repository } from "./hooks-by-git-place.ts";

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
