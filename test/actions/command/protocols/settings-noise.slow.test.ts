/** The same of output that is far larger. */
import { test } from "node:test";
import { brokenFails, everyOutputIsRead } from "./noise.ts";

test("[F8, R17] what was meant as JSON and is broken is a failure, not a pass, however deep it is", () =>
  brokenFails(1_000_000));

test("[G1] no output makes the reading throw, and none takes more than linear time, however long it is", () =>
  everyOutputIsRead(300_000));
