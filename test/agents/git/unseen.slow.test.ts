/** The same of every place, in every way of writing. */
import test from "node:test";
import { askedAtOnce, askedWhereShared, lastPatternCounts, lost, refusesWithout } from "./aged.ts";
import { scratch } from "./scratch.ts";

test("[E48] a file of hooks that appears with an old date is asked at once, wherever it is", (t) =>
  askedAtOnce(scratch(t), [".claude/settings.json", ".hookline/hooks.json", "home of rules"]));

test("[T34] in a folder of hooks that serves all repositories the guards of every kind of file are asked, as they come and go", (t) =>
  askedWhereShared(scratch(t), [".gen/settings.local.json", ".hookline/plugins/mine/hooks/hooks.json"]));

for (const [what, change] of Object.entries(lost))
  test(`[E48] a guard that has lost ${what} still refuses`, (t) => refusesWithout(scratch(t), change));

test("[E48] of two patterns, however they are written, the last one counts", (t) =>
  lastPatternCounts(scratch(t), ["pattern ", '"pattern"', "pattern"]));
