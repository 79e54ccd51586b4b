/** What a session's scripts are run for, in repositories: nothing that was changed is missed, whoever changed it and however much it is. */
import { test } from "node:test";
import { holds, stories } from "./changed-stories.ts";

/** One way to look each: npm run test:slow has both. */
const isWatched = ({ sentence }: (typeof stories)[number]): boolean =>
  /goes back to it|writes while it ends/.test(sentence);

for (const story of stories)
  test(`${isWatched(story) ? "watched" : "looked at afresh"}: ${story.sentence}`, (t) =>
    holds(t, story, isWatched(story)));
