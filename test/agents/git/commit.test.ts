import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { logOf, refusesThenPasses, statusBeside } from "./refusal.ts";
import { guarding, hook, installed, listening, place, refusing, scratch, script } from "./scratch.ts";

test("[E50, ET26, E51a] a commit is refused with the script's output and exit code, and passes when it does", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  installed(self);
  refusesThenPasses(self, self.top);
  const runs: { event: string; status: string }[] = JSON.parse(self.hookline(["runs", "--json"]).stdout);
  assert.deepEqual(runs.map(({ event, status }) => `${event} ${status}`).slice(0, 2), [
    "git.pre-commit completed",
    "git.pre-commit failed",
  ]);
});

test("[E50, E52] a commit in a session is recorded in it, with its status", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  installed(self);
  self.write("bad", "");
  const { stderr } = self.commit({ environment: { CLAUDE_CODE_SESSION_ID: "s-1" } });
  const { hookName, type, lastResult, lastExitCode } = statusBeside(logOf(stderr));
  assert.deepEqual([hookName, type, lastResult, lastExitCode], ["Type check", "pre-commit", "failure", 3]);
  const [run] = JSON.parse(self.hookline(["runs", "--json"]).stdout);
  assert.equal(run.session, "s-1");
});

test("[E48, E49] the original comes first and its failure ends the commit; then each script until one fails", (t) => {
  const self = scratch(t);
  self.write(place, '#!/bin/sh\necho original "$@"\n[ ! -e worse ] || exit 9\n', 0o755);
  self.write(".hookline/hooks/a.sh", script({ type: "pre-commit" }, "echo a >> order"), 0o755);
  self.write(".hookline/hooks/b.sh", script({ type: "pre-commit" }, "echo b >> order; [ ! -e bad ]"), 0o755);
  self.write(".hookline/hooks/c.sh", script({ type: "pre-commit" }, "echo c >> order"), 0o755);
  self.write(".gitignore", "order\n");
  installed(self);
  self.write("bad", "");
  assert.match(self.commit().stderr, /^original\nb\.sh failed: exit 1\nhookline: "b\.sh" refused/);
  assert.equal(self.read("order"), "a\nb\n");
  rmSync(join(self.top, "order"));
  self.write("worse", "");
  const worse = self.git(["hook", "run", "pre-commit"]);
  assert.ok(worse.code === 9 || /not a git command/.test(worse.stderr), worse.stderr);
  assert.notEqual(self.commit().code, 0);
  assert.ok(!self.has("order"));
});

test("what a script that passes prints is shown to the person who commits", (t) => {
  const self = scratch(t);
  const warning = "echo 'a.ts:3: warning: unused' >&2";
  self.write(hook, script({ name: "Lint", type: "pre-commit" }, warning), 0o755);
  self.write(".hookline/hooks/quiet.sh", script({ type: "pre-commit" }, ":"), 0o755);
  installed(self);
  self.write("a.ts", "");
  const { code, stderr } = self.commit();
  assert.equal(code, 0);
  assert.equal(stderr.trim(), 'hookline: "Lint" passed and printed:\na.ts:3: warning: unused');
});

test("[E48] scripts get the staged names, git's own index, and no shell text from either", (t) => {
  const self = scratch(t, { name: "it's $(odd)" });
  const report = join(self.folder, "report");
  self.write(
    hook,
    script(
      { type: "pre-commit" },
      `printf '%s\\n' "$HOOKLINE_HOOK_TYPE" "$DISCOBOT_WORKSPACE" "$HOOKLINE_CHANGED_FILES" "$GIT_INDEX_FILE" > '${report}'; tr '\\0' '|' < "$HOOKLINE_CHANGED_FILES_0" >> '${report}'; git diff --cached --name-only >> '${report}'`,
    ),
    0o755,
  );
  self.write("gone", "");
  assert.equal(self.commit().code, 0);
  installed(self);
  rmSync(join(self.top, "gone"));
  self.write("$(touch made)", "");
  self.write("-n", "");
  self.write("ü b\n'c", "");
  assert.equal(self.commit().code, 0);
  const [type, workspace, ...rest] = readFileSync(report, "utf8").split("\n");
  assert.deepEqual([type, workspace], ["pre-commit", self.top]);
  const text = rest.join("\n");
  assert.match(text, /\.git\/index/);
  assert.match(text, /-n\|/);
  assert.match(text, /ü b\n'c\|/);
  assert.doesNotMatch(text.split("|").slice(0, -1).join("|"), /gone/);
  assert.ok(!self.has("made"));
  self.write("-n", "changed");
  assert.equal(self.git(["commit", "--quiet", "--all", "--message", "all"]).code, 0);
  assert.match(readFileSync(report, "utf8"), /index\.lock\n.*-n\|-n\n$/s);
});

test("a pattern keeps a script out of commits that touch nothing of its kind, and a removed file counts", (t) => {
  const self = scratch(t);
  self.write(hook, script({ name: "Go", type: "pre-commit", pattern: '"*.go"' }, "exit 6"), 0o755);
  self.write("a.go", "");
  assert.equal(self.commit().code, 0);
  installed(self);
  self.write("b.ts", "");
  assert.equal(self.commit().code, 0);
  self.write("deep/c.go", "");
  assert.match(self.commit().stderr, /"Go" refused the commit — exit code 6/);
  self.mustGit(["rm", "--quiet", "--cached", "deep/c.go"]);
  rmSync(join(self.top, "deep"), { recursive: true });
  rmSync(join(self.top, "a.go"));
  assert.match(self.commit().stderr, /"Go" refused the commit/);
});

test("hooks of other files that listen to git.pre-commit are asked too", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks.json", listening("echo no >&2; exit 2"));
  installed(self);
  const refused = self.commit();
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /^no\nhookline: ".+" refused the commit\n$/);
  const direct = self.git(["hook", "run", "pre-commit"]);
  if (!/not a git command/.test(direct.stderr)) assert.equal(direct.code, 1);
});

test("a hook that was written after install is asked at the next commit", (t) => {
  const self = scratch(t);
  self.write(hook, script({ type: "pre-commit", pattern: "never" }, ""), 0o755);
  installed(self);
  self.write(".claude/settings.json", guarding);
  assert.match(self.commit().stderr, /refused by guard/);
});

test("what a commit is asked with a broken hook file stays refused, and says where it is broken", (t) => {
  const self = scratch(t);
  self.write(hook, script({ type: "precommit" }, ""), 0o755);
  installed(self);
  const { code, stderr } = self.commit();
  assert.notEqual(code, 0);
  assert.match(stderr, /check\.sh:3:/);
});
