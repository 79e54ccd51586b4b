import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { beginSession, guarding, hook, mustRun, place, refusing, scratch, script } from "./scratch.ts";

test("[T34] a bare repository's worktrees do not run the hooks of the folder around it", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks.json", guarding);
  assert.equal(self.commit().code, 0);
  const bare = join(self.top, "bare.git");
  self.mustGit(["clone", "--quiet", "--bare", self.top, bare]);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other], bare);
  rmSync(join(other, ".hookline"), { recursive: true });
  assert.match(mustRun(self, ["git", "install"], other), /^nothing is installed/);
});

test("[ET26] a linked worktree made after install asks the main worktree's guards, which git ignores", (t) => {
  const self = scratch(t);
  self.write(".gitignore", ".hookline\n");
  assert.equal(self.commit().code, 0);
  self.write(".hookline/hooks.json", guarding);
  mustRun(self, ["git", "install"]);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  assert.match(self.commit({ cwd: other }).stderr, /refused by guard\nhookline: .+ refused the commit/);
});

test("check and install report a script below the worktree's top, because no commit runs it", (t) => {
  const self = scratch(t);
  const below = `packages/a/${hook}`;
  self.write(below, refusing, 0o755);
  self.write("packages/a/.hookline/hooks.json", guarding);
  self.write("packages/b/.discobot/hooks/other.sh", script({ type: "session" }, ""), 0o755);
  const notAsked =
    /packages\/a\/\.hookline\/hooks\/check\.sh does not run: commits run only hooks at the top of the worktree/;
  const said = mustRun(self, ["git", "install"]);
  assert.match(said, /^nothing is installed/);
  assert.match(said, notAsked);
  assert.match(said, /packages\/a\/\.hookline\/hooks\.json does not run/);
  assert.doesNotMatch(said, /packages\/b/);
  const finding =
    /check\.sh:1:1 warning event-never-sent this hook never runs.*\(move it to .*\/repository\/\.hookline\/hooks\/check\.sh\)/;
  assert.match(mustRun(self, ["check"], join(self.top, "packages/a")), finding);
  assert.match(mustRun(self, ["check", below]), finding);
  self.write(hook, refusing, 0o755);
  assert.doesNotMatch(mustRun(self, ["check"]), /no commit asks/);
  assert.match(mustRun(self, ["git", "install"]), notAsked);
});

test("[E51] a new repository at the path of an old one gets no hook by itself", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  renameSync(join(self.top, ".git"), join(self.folder, "before"));
  self.mustGit(["init", "--quiet"]);
  beginSession(self);
  assert.ok(!self.has(place));
});
