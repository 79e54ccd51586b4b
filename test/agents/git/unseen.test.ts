/** Commits that a guard refuses, in repositories where nothing looks younger than what install has seen. */
import assert from "node:assert/strict";
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { agedCommit, askedAtOnce, assertRefused, guard } from "./aged.ts";
import { installed, scratch, script } from "./scratch.ts";

test("[E48] a file of hooks that appears with an old date is asked at once", (t) =>
  askedAtOnce(scratch(t), [".claude/settings.json"]));

test("[E48] a repository in which nothing changes starts no Hookline, be it reached through a link", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  self.write(".claude/settings.json", "{}");
  self.write(".hookline/rules/about them.md", "");
  const link = join(self.folder, "a link");
  symlinkSync(self.top, link);
  installed(self);
  rmSync(join(self.folder, "state"), { recursive: true });
  assert.equal(agedCommit(self).code, 0);
  const linked = self.git(["commit", "--quiet", "--allow-empty", "--message", "x"], {
    cwd: link,
    environment: { PWD: link },
  });
  assert.equal(linked.code, 0, linked.stderr);
  assert.throws(() => readdirSync(self.state), /ENOENT/);
});

test("[ET26] a linked worktree made after install asks the main worktree's guards, which git ignores", (t) => {
  const self = scratch(t);
  self.write(".gitignore", ".hookline\n");
  assert.equal(self.commit().code, 0);
  self.write(".hookline/hooks.json", guard);
  installed(self);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  assertRefused(agedCommit(self, other));
});
