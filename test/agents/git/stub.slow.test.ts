/** The same in each shell of this machine, and of patterns in large numbers. */
import test from "node:test";
import { noneIsMissed, shells, stories } from "./trial.ts";

for (const [story, holds] of Object.entries(stories))
  for (const shell of shells) test(`${story}, in ${shell.join(" ")}`, (t) => holds(t, shell));

test("[E48] none of many patterns that match a staged name is missed", (t) => noneIsMissed(t, 600));
