/** Commits that a guard refuses, in repositories where nothing looks younger than what install has seen. */
import assert from "node:assert/strict";
import { readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { age, agedCommit, askedAtOnce, assertRefused, guard, lastPatternCounts, refusesWithout } from "./aged.ts";
import { installed, scratch, script } from "./scratch.ts";

test("[E48] a file of hooks that appears with an old date is asked at once", (t) =>
  askedAtOnce(scratch(t), [".claude/settings.json"]));

test("[E48] a user's own file of hooks that appears with an old date is asked at once", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  installed(self);
  assert.equal(agedCommit(self).code, 0);
  self.write("../home/.config/hookline/hooks.json", guard);
  age(join(self.folder, "home"));
  assertRefused(agedCommit(self));
});

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

test("[ET26] a linked worktree sees a file of the main worktree that appears with an old date", (t) => {
  const self = scratch(t);
  self.write(".gitignore", ".hookline\n");
  assert.equal(self.commit().code, 0);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  installed(self);
  assert.equal(agedCommit(self, other).code, 0);
  rmSync(join(self.folder, "state"), { recursive: true });
  assert.equal(agedCommit(self, other).code, 0);
  assert.throws(() => readdirSync(self.state), /ENOENT/);
  self.write(".hookline/hooks.json", guard);
  assertRefused(agedCommit(self, other));
});

test("[E48] a type with a remark is read without the remark", (t) => {
  const self = scratch(t);
  self.write(
    ".hookline/hooks/check.sh",
    script({ type: "precommit # lints each file of a session" }, "echo refused by guard; exit 1"),
    0o755,
  );
  installed(self);
  const { code, stderr } = agedCommit(self);
  assert.notEqual(code, 0, stderr);
});

test("[E48] a guard that has lost its type still refuses", (t) =>
  refusesWithout(scratch(t), (text) => text.replace(/^# type.*\n/m, "")));

test("[E48] of two patterns the last one counts", (t) => lastPatternCounts(scratch(t), ["pattern "]));
