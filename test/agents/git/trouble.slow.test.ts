/** The same of each signal, of each store that is of no use, and of each way in which a guard breaks. */
import test from "node:test";
import { breaks, endsAtSignal, passesWithout, refusesInLastForm, unusable } from "./troubles.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  test(`${signal} ends the script that is running, and is reported with its name`, (t) => endsAtSignal(t, signal));

test("a store that cannot be used and a wrong setting refuse no commit, and are reported", (t) => {
  for (const make of Object.values(unusable)) passesWithout(t, make);
});

for (const one of Object.values(breaks))
  test(`[E51] ${one.what} keeps refusing commits in its last valid form, and git continues to run Hookline`, (t) =>
    refusesInLastForm(t, one));
