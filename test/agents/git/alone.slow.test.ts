/** The same of front matters in large numbers. */
import test from "node:test";
import { isSeenBeside, noGuardPasses, plain } from "./gone-hookline.ts";

for (const what of Object.keys(plain))
  test(`[E48] without Hookline a script for commits is seen and refuses the commit, be there ${what} in its front matter`, (t) =>
    isSeenBeside(t, what));

test("[E48] none of many front matters that Hookline takes for a guard, or a lost one, passes without it", (t) =>
  noGuardPasses(t, 400));
