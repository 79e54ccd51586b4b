/** Commits in worktrees of every kind, with a Node of their own, and of names that are no text. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { emptyRepository } from "../../repository.ts";
import { refusesThenPasses } from "./refusal.ts";
import { hook, installed, place, refusing, scratch, script } from "./scratch.ts";

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

test("[E48] staged names that are no UTF-8 are handed over as their bytes", {
  skip: process.platform !== "linux",
}, (t) => {
  const self = scratch(t);
  self.write(
    hook,
    script({ type: "pre-commit", pattern: '"*.go"' }, 'xargs -0 cat < "$HOOKLINE_CHANGED_FILES_0"; exit 3'),
    0o755,
  );
  self.write("a.md", "");
  assert.equal(self.commit().code, 0);
  installed(self);
  writeFileSync(Buffer.from(join(self.top, "caf\u00e9.go"), "latin1"), "it is read\n");
  const refused = self.commit();
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /it is read/);
});

test("[E50, ET26, E51a] a commit is refused with the script's output and exit code, and passes when it does, by a Node that git starts", (t) => {
  const self = scratch(t, { ownNode: true });
  self.write(hook, refusing, 0o755);
  installed(self);
  refusesThenPasses(self, self.top);
  const runs: { event: string; status: string }[] = JSON.parse(self.hookline(["runs", "--json"]).stdout);
  assert.deepEqual(runs.map(({ event, status }) => `${event} ${status}`).slice(0, 2), [
    "git.pre-commit completed",
    "git.pre-commit failed",
  ]);
});
