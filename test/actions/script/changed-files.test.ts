/** What a session's scripts are run for, in repositories: nothing that was changed is missed, whoever changed it and however much it is. */
import { test } from "node:test";
import { holds, isMain, stories, ways } from "./changed-stories.ts";

for (const way of ways)
  for (const story of stories.filter((one) => isMain(one, way)))
    test(`${way}: ${story.sentence}`, (t) => holds(t, story, way === "watched"));
