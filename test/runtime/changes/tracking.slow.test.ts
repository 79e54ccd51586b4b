import { test } from "node:test";
import { endsByItself, isAskedPerTurn } from "./tracking-line.ts";

test("a program's hook on changed files is asked at the end of each turn that changed some, watch: false", (context) =>
  isAskedPerTurn(context, false));

test("a program that watches and closes its line ends by itself", (context) => endsByItself(context, true));

test("a program that watches ends by itself", (context) => endsByItself(context));
