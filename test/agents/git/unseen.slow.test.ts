/** The same of every place, in every way of writing. */
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import {
  age,
  agedCommit,
  askedAtOnce,
  askedWhereShared,
  assertRefused,
  guard,
  lastPatternCounts,
  lost,
  refusesWithout,
} from "./aged.ts";
import { installed, scratch, script } from "./scratch.ts";

test("[E48] a file of hooks that appears with an old date is asked at once, wherever it is", (t) =>
  askedAtOnce(scratch(t), [".claude/settings.json", ".hookline/hooks.json", "home of rules"]));

test("[T34] in a folder of hooks that serves all repositories the guards of every kind of file are asked, as they come and go", (t) =>
  askedWhereShared(scratch(t), [".gen/settings.local.json", ".hookline/plugins/mine/hooks/hooks.json"]));

for (const [what, change] of Object.entries(lost))
  test(`[E48] a guard that has lost ${what} still refuses`, (t) => refusesWithout(scratch(t), change));

test("[E48] of two patterns, however they are written, the last one counts", (t) =>
  lastPatternCounts(scratch(t), ["pattern ", '"pattern"', "pattern"]));

test("[E48] a user's own file of hooks that appears with an old date is asked at once", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  installed(self);
  assert.equal(agedCommit(self).code, 0);
  self.write("../home/.config/hookline/hooks.json", guard);
  age(join(self.folder, "home"));
  assertRefused(agedCommit(self));
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
