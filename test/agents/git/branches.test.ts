/** Commits on branches of which only some have hooks: the file that git runs serves them all. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { askedAfterCommits, kinds, script } from "./branch-kinds.ts";
import { beginSession, mustRun, place, refusing, scratch } from "./scratch.ts";

test(`[E51] ${kinds.script.what} is asked after a commit on a branch without it`, (t) =>
  askedAfterCommits(scratch(t), kinds.script, 1));

test("[E51] only uninstall takes the hook out once it is in place", (t) => {
  const self = scratch(t);
  self.write(place, "#!/bin/sh\n# theirs\n", 0o755);
  self.write(script, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  rmSync(join(self.top, script));
  assert.equal(self.commit().code, 0);
  beginSession(self);
  assert.ok(isStub(self.read(place)));
  mustRun(self, ["git", "install"]);
  assert.ok(isStub(self.read(place)));
  mustRun(self, ["git", "uninstall"]);
  assert.equal(self.read(place), "#!/bin/sh\n# theirs\n");
  beginSession(self);
  assert.equal(self.read(place), "#!/bin/sh\n# theirs\n");
});
