/** Commits in worktrees of every kind. */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { emptyRepository } from "../../repository.ts";
import { refusesThenPasses } from "./refusal.ts";
import { installed, place, refusing, scratch } from "./scratch.ts";

const hook = ".hookline/hooks/check.sh";

test("[ET26] the same in a linked worktree, whose hooks are the repository's", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  assert.equal(self.commit().code, 0);
  const other = join(self.folder, "it's another\nworktree");
  self.mustGit(["worktree", "add", "--quiet", "--detach", other]);
  installed(self, other);
  assert.ok(self.has(place));
  refusesThenPasses(self, other);
  refusesThenPasses(self, self.top);
});

test("[ET26] the same with core.hooksPath, and from a folder below", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  self.mustGit(["config", "core.hooksPath", "tools/git hooks"]);
  installed(self);
  refusesThenPasses(self, self.top);
  self.write("bad", "");
  self.write("below/file", "");
  assert.notEqual(self.commit({ cwd: join(self.top, "below") }).code, 0);
});

test("[T34] the same in a submodule", (t) => {
  const self = scratch(t);
  const library = join(self.folder, "library");
  emptyRepository(library);
  assert.equal(self.commit({ cwd: library }).code, 0);
  self.mustGit(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "library"]);
  self.write("library/.discobot/hooks/check.sh", refusing, 0o755);
  installed(self, join(self.top, "library"));
  assert.ok(self.has(".git/modules/library/hooks/pre-commit"));
  refusesThenPasses(self, join(self.top, "library"));
  self.write("bad", "");
  assert.equal(self.commit().code, 0, "the repository around it has no script");
});

test("[ET26] a linked worktree without hook files uses the main worktree's", (t) => {
  const self = scratch(t);
  assert.equal(self.commit().code, 0);
  self.write(hook, refusing, 0o755);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  installed(self);
  refusesThenPasses(self, other);
});
