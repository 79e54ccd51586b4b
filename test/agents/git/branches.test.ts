/** Commits on branches of which only some have hooks: the file that git runs serves them all. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { beginSession, foreign, hook, mustRun, place, refusing, scratch } from "./scratch.ts";

test("[E51] a guard of one branch is asked there after a commit and a session on a branch without it, whatever another tool wrote", (t) => {
  const self = scratch(t);
  assert.equal(self.commit().code, 0);
  self.mustGit(["checkout", "--quiet", "-b", "guarded"]);
  self.write(hook, refusing, 0o755);
  assert.equal(self.commit().code, 0);
  mustRun(self, ["git", "install"]);
  self.mustGit(["checkout", "--quiet", "main"]);
  assert.deepEqual([self.commit().stderr, self.has(hook)], ["", false]);
  self.write(place, "#!/bin/sh\necho theirs\n", 0o755);
  beginSession(self);
  self.mustGit(["checkout", "--quiet", "guarded"]);
  self.write("bad", "");
  const { code, stderr } = self.commit();
  assert.notEqual(code, 0);
  assert.match(stderr, /^theirs\nbad is there\nhookline: ".+" refused the commit/);
});

test("[E51] only uninstall takes the hook out once it is in place", (t) => {
  const self = scratch(t);
  self.write(place, foreign, 0o755);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  rmSync(join(self.top, hook));
  assert.equal(self.commit().code, 0);
  beginSession(self);
  assert.ok(isStub(self.read(place)));
  mustRun(self, ["git", "install"]);
  assert.ok(isStub(self.read(place)));
  mustRun(self, ["git", "uninstall"]);
  assert.equal(self.read(place), foreign);
  beginSession(self);
  assert.equal(self.read(place), foreign);
});
