/** What a session's scripts are run for, in repositories: nothing that was changed is missed, whoever changed it and however much it is. */
import { test } from "node:test";
import { holds, stories } from "./changed-stories.ts";

for (const story of stories) test(`looked at afresh: ${story.sentence}`, (t) => holds(t, story, false));

for (const story of stories.filter(({ sentence }) => /goes back to it|writes while it ends/.test(sentence)))
  test(`watched: ${story.sentence}`, (t) => holds(t, story, true));
