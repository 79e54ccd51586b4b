/** Worktrees that are linked to a submodule's, guards in another worktree's module. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { emptyRepository } from "../../repository.ts";
import { guarding, mustRun, place, refusing, scratch } from "./scratch.ts";

test("[T34] a submodule's own worktree counts where another is linked to it", (t) => {
  const self = scratch(t);
  const library = join(self.folder, "library");
  emptyRepository(library);
  assert.equal(self.commit({ cwd: library }).code, 0);
  self.mustGit(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "library"]);
  self.write("library/.discobot/hooks/check.sh", refusing, 0o755);
  const linked = join(self.folder, "linked");
  self.mustGit(["worktree", "add", "--quiet", linked], join(self.top, "library"));
  assert.match(mustRun(self, ["git", "install"], linked), /1 hook listens to commits: Type check/);
});

test("a guard in another worktree's module is asked there", (t) => {
  const self = scratch(t);
  self.write("file", "");
  assert.equal(self.commit().code, 0);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  mkdirSync(join(other, ".hookline"));
  writeFileSync(
    join(other, "hookline.config.js"),
    'export default [{ on: "git.pre-commit", role: "guard", run: () => ({ deny: "not here" }) }];\n',
  );
  mustRun(self, ["git", "install"]);
  assert.ok(self.has(place));
  assert.equal(self.commit().code, 0);
  const refused = self.commit({ cwd: other });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /not here/);
});

test("[T34] a submodule asks its own hooks, not those of the repository around it", (t) => {
  const self = scratch(t);
  const library = join(self.folder, "library");
  emptyRepository(library);
  assert.equal(self.commit({ cwd: library }).code, 0);
  self.mustGit(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "library"]);
  const submodule = join(self.top, "library");
  self.write(".hookline/hooks.json", guarding);
  assert.match(mustRun(self, ["git", "install"], submodule), /^nothing is installed/);
  self.write("library/.discobot/hooks/check.sh", refusing, 0o755);
  assert.match(mustRun(self, ["git", "install"], submodule), /\n {2}1 hook listens to commits: Type check\n/);
  assert.ok(self.has(".git/modules/library/hooks/pre-commit"));
  mustRun(self, ["git", "uninstall"], submodule);
  assert.ok(!self.has(".git/modules/library/hooks/pre-commit"));
});
