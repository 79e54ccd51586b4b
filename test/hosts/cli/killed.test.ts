/** Commands that are killed while hooks run, without a daemon: what they have started ends with them. */
import { test } from "node:test";
import { leavesNothing, linux, ofCommand } from "./killed.ts";

test("hookline hook that is killed without a daemon leaves no program of a hook behind", linux, (t) =>
  leavesNothing(t, ["hook", "claude-code"], ofCommand),
);
