/** A guard that comes after git was told of the hooks; gone.test.ts has those that were there before. */
import assert from "node:assert/strict";
import test from "node:test";
import { removeHookline, start } from "./gone-place.ts";
import { beginSession, guarding, listening, mustRun, place, type Scratch, scratch } from "./scratch.ts";

test("a guard that appears later is known from its first commit or session on, and only install forgets it", (t) => {
  for (const meet of [beginSession, (self: Scratch) => assert.notEqual(self.commit().code, 0)]) {
    const self = scratch(t);
    self.write(".hookline/hooks.json", listening("true"));
    mustRun(self, ["git", "install"]);
    self.write(".hookline/hooks.json", guarding);
    meet(self);
    self.write(".hookline/hooks.json", listening("true"));
    assert.equal(self.commit().code, 0);
    beginSession(self);
    const installed = self.read(place);
    removeHookline(self);
    assert.equal(start(self).code, 1, "another branch may have it");
    self.write(place, installed, 0o755);
    mustRun(self, ["git", "install"]);
    removeHookline(self);
    assert.equal(start(self).code, 0);
  }
});
