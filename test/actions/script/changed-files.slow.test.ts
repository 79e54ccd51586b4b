/** The other stories, and each in the other kind of repository: those that are watched and those that are looked at afresh. */
import { test } from "node:test";
import { holds, isMain, stories, ways } from "./changed-stories.ts";

for (const way of ways)
  for (const story of stories.filter((one) => !isMain(one, way)))
    test(`${way}: ${story.sentence}`, (t) => holds(t, story, way === "watched"));
