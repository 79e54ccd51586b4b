/** What others have written into the folder of hooks: it is kept, run, and told of. */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { hook, hooksIn } from "./managers.ts";
import { nestedIsAsked } from "./nested.ts";
import { mustRun, place, refusing, scratch, script } from "./scratch.ts";

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

test("[E48] a commit that a kept hook makes is asked for like any other, and no variable switches that off", (t) =>
  nestedIsAsked(scratch(t), (top) => [`${process.pid} ${top}`]));
