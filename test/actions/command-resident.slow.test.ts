/** The same of each example, each failure, and each way to name a program. */
import { test } from "node:test";
import { edited, fieldsMeanTheSame, followsEdits, sameFailure, sameVerdicts } from "./residents.ts";

for (const file of ["guard.py", "guard.mjs", "guard.sh"])
  test(`the example ${file} gives the same verdicts with a process that stays and without one`, (t) =>
    sameVerdicts(t, file));

for (const what of ["crash", "garbage", "other id", "no id", "hang", "flood"])
  test(`a program that does "${what}" fails its event for the same reason with a process that stays and without one`, (t) =>
    sameFailure(t, what));

for (const what of Object.keys(edited) as (keyof typeof edited)[]) // its own keys
  test(`a program that is edited or deleted is not asked any more as it was, where it is ${what}`, (t) =>
    followsEdits(t, what));

test("each field of an answer means what it means on a command's stdout, with a process that stays and without one, for every field", (t) =>
  fieldsMeanTheSame(t));
