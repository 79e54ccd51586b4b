/** Commands that are killed while hooks run, without a daemon: what they have started ends with them. */
import { test } from "node:test";
import { leavesNothing, linux, ofCommand, ofServers } from "./killed.ts";

const hook = ["hook", "claude-code"];

test("hookline hook that is killed without a daemon leaves no program of a hook behind", linux, (t) =>
  leavesNothing(t, hook, ofCommand),
);

test(
  "a command that is killed without a daemon leaves a tool server that it started, and what that started, behind no longer",
  linux,
  (t) => leavesNothing(t, hook, ofServers["a tool server"] ?? {}),
);
