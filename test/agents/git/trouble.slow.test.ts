/** The same of each signal, of each store that is of no use, and of each way in which a guard breaks; and a hook that git does not wait for. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { beginSession, guarding, installed, place, scratch } from "./scratch.ts";
import { breaks, endsAtSignal, endsLater, passesWithout, refusesInLastForm, unusable } from "./troubles.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  test(`${signal} ends the script that is running, and is reported with its name`, (t) => endsAtSignal(t, signal));

test("a store that cannot be used and a wrong setting refuse no commit, and are reported", (t) => {
  for (const make of Object.values(unusable)) passesWithout(t, make);
});

for (const one of Object.values(breaks))
  test(`[E51] ${one.what} keeps refusing commits in its last valid form, and git continues to run Hookline`, (t) =>
    refusesInLastForm(t, one));

test("[E51] git continues to run Hookline while a hook file is broken, even if nothing shows what it held", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks.json", guarding);
  installed(self);
  writeFileSync(join(self.top, ".hookline/hooks.json"), guarding.slice(0, -9));
  beginSession(self);
  assert.ok(isStub(self.read(place)));
  self.write(".hookline/hooks.json", guarding);
  assert.match(self.commit().stderr, /refused by guard/);
});

test("a hook that git does not wait for delays no commit, and ends after it", (t) => {
  const self = scratch(t, { ownNode: true });
  return endsLater(t, self, () => {
    installed(self);
    return self.commit();
  });
});
