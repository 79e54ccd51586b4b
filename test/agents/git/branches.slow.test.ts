/** Branches of which only some have hooks, be it by a file of whatever kind. */
import assert from "node:assert/strict";
import test from "node:test";
import { askedAfterCommits, askedAfterSession, assertRefused, branches, kinds, script } from "./branch-kinds.ts";
import { beginSession, place, refusing, scratch } from "./scratch.ts";

for (const kind of Object.values(kinds)) {
  test(`[E51] ${kind.what} is asked after each commit on a branch without it`, (t) =>
    askedAfterCommits(scratch(t), kind, 2));

  test(`[E51] ${kind.what} is asked after a session on a branch without it`, (t) =>
    askedAfterSession(scratch(t), kind));
}

test("[E51] a session on a branch without hooks puts back what another tool has written over", (t) => {
  const self = scratch(t);
  branches(self, { what: "", base: { "a.txt": "" }, guarded: { [script]: refusing } });
  self.mustGit(["checkout", "--quiet", "main"]);
  self.write(place, "#!/bin/sh\necho theirs\n", 0o755);
  beginSession(self);
  self.mustGit(["checkout", "--quiet", "guarded"]);
  self.write("bad", "");
  const refused = self.commit();
  assertRefused(refused);
  assert.match(refused.stderr, /^theirs\n/);
});
