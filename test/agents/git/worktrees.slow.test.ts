/** Worktrees that are linked to a submodule's. */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { emptyRepository } from "../../repository.ts";
import { mustRun, refusing, scratch } from "./scratch.ts";

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
