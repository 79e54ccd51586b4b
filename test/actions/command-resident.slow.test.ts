/** The same of each example, and each way to name a program. */
import { test } from "node:test";
import { edited, followsEdits, sameVerdicts } from "./residents.ts";

for (const file of ["guard.py", "guard.mjs", "guard.sh"])
  test(`the example ${file} gives the same verdicts with a process that stays and without one`, (t) =>
    sameVerdicts(t, file));

for (const what of Object.keys(edited) as (keyof typeof edited)[]) // its own keys
  test(`a program that is edited or deleted is not asked any more as it was, where it is ${what}`, (t) =>
    followsEdits(t, what));
