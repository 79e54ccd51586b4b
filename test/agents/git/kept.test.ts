/** What others have written into the folder of hooks: it is kept, run, and told of. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { hook, hooksIn, mustRun, place, refusing, scratch, script } from "./scratch.ts";

test("[E46] an edit of Hookline's own file is kept as pre-commit.edited, once", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  const edited = `${self.read(place)}\necho a line of theirs\n`;
  self.write(place, edited, 0o755);
  const told = /pre-commit was Hookline's own, but it had been edited: that form is kept as pre-commit\.edited/;
  assert.match(mustRun(self, ["git", "install"]), told);
  assert.equal(self.read(`${place}.edited`), edited);
  assert.doesNotMatch(self.read(place), /a line of theirs/);
  assert.doesNotMatch(mustRun(self, ["git", "install"]), told);
  self.write(place, edited, 0o755);
  mustRun(self, ["git", "uninstall"]);
  assert.deepEqual(hooksIn(join(self.top, ".git/hooks")), ["pre-commit.edited"]);
});

test("[E46] a kept hook that calls this file in turn is not called again", (t) => {
  const self = scratch(t);
  self.write(place, '#!/bin/sh\necho the kept one\n"${0%/*}/pre-commit"\n', 0o755);
  self.write(hook, script({ type: "pre-commit" }, "echo a script; exit 1"), 0o755);
  mustRun(self, ["git", "install"]);
  assert.match(self.commit().stderr, /^the kept one\na script\nhookline: /);
});

test("[E48] a commit that a kept hook makes is asked for like any other, and no variable switches that off", (t) => {
  const self = scratch(t);
  assert.equal(self.commit().code, 0);
  const nested = "git commit --quiet --allow-empty --message nested && echo it passed";
  self.write(place, `#!/bin/sh\n[ -e once ] && exit 0\n: > once\n${nested}\nexit 0\n`, 0o755);
  self.write(hook, script({ type: "pre-commit" }, "echo a script; exit 1"), 0o755);
  self.write(".gitignore", "once\n");
  mustRun(self, ["git", "install"]);
  self.mustGit(["add", "--all"]);
  const { code, stderr } = self.git(["commit", "--quiet", "--message", "outer"]);
  assert.notEqual(code, 0);
  assert.doesNotMatch(stderr, /it passed/);
  assert.equal(stderr.match(/^a script$/gm)?.length, 2, stderr);
  rmSync(join(self.top, "once"));
  assert.notEqual(self.commit({ environment: { HOOKLINE_KEPT_HOOK: self.top } }).code, 0);
  assert.ok(isStub(self.read(place)));
});
