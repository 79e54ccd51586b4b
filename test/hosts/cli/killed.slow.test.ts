/** Other commands and other servers that are killed while hooks run; killed.test.ts has one of each. */
import { test } from "node:test";
import { leavesNothing, linux, ofCommand, ofServers } from "./killed.ts";

test("hookline emit that is killed without a daemon leaves no program of a hook behind", linux, (t) =>
  leavesNothing(t, ["emit", "PostToolUse"], ofCommand),
);

test(
  "a command that is killed without a daemon leaves a language server that it started, and what that started, behind no longer",
  linux,
  (t) => leavesNothing(t, ["hook", "claude-code"], ofServers["a language server"] ?? {}),
);
