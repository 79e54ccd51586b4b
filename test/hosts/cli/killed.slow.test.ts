/** Another command, and servers of hooks, that are killed while hooks run; killed.test.ts has the usual one. */
import { test } from "node:test";
import { leavesNothing, linux, ofCommand, ofServers } from "./killed.ts";

const hook = ["hook", "claude-code"];

test("hookline emit that is killed without a daemon leaves no program of a hook behind", linux, (t) =>
  leavesNothing(t, ["emit", "PostToolUse"], ofCommand),
);

test(
  "a command that is killed without a daemon leaves a language server that it started, and what that started, behind no longer",
  linux,
  (t) => leavesNothing(t, hook, ofServers["a language server"] ?? {}),
);

test(
  "a command that is killed without a daemon leaves a tool server that it started, and what that started, behind no longer",
  linux,
  (t) => leavesNothing(t, hook, ofServers["a tool server"] ?? {}),
);
