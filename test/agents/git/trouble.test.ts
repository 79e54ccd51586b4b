import test from "node:test";
import { breaks, passesWithout, refusesInLastForm, unusable } from "./troubles.ts";

test("a store that cannot be used refuses no commit, and is reported", (t) => passesWithout(t, unusable.folder));

test(`[E51] ${breaks.script.what} keeps refusing commits in its last valid form, and git continues to run Hookline`, (t) =>
  refusesInLastForm(t, breaks.script, { few: true }));
