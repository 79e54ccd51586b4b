/** The same in repositories that are watched and in those that are looked at afresh. */
import { test } from "node:test";
import { holds, stories } from "./changed-stories.ts";

for (const story of stories) {
  test(`watched: ${story.sentence}`, (t) => holds(t, story, true));
  test(`looked at afresh: ${story.sentence}`, (t) => holds(t, story, false));
}
