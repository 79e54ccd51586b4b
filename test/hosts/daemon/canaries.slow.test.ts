/** As many secrets as meet every border of what is cut, in many values. */
import { test } from "node:test";
import { secretsStayOut } from "./secrets.ts";

test("[T25] fifty secrets in each of their forms, through every door, are in no file of the state in clear", (t) =>
  secretsStayOut(t, 25));
