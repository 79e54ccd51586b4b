/** The main doors of secrets, with a few of them; canaries.slow.test.ts takes fifty. */
import { test } from "node:test";
import { secretsStayOut } from "./secrets.ts";

test("[T25] ten secrets in each of their forms, through every door, are in no file of the state in clear", (t) =>
  secretsStayOut(t, 5));
