import { test } from "node:test";
import { answersAsAFreshLook } from "./changes-property.ts";

test("resident: whatever happens in a repository, the answer is that of a fresh look", (context) =>
  answersAsAFreshLook(context, { rounds: 8, turns: 10 }));
