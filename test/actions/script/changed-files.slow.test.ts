/** The same in repositories that are watched. */
import { test } from "node:test";
import { holds, stories } from "./changed-stories.ts";

for (const story of stories) test(`watched: ${story.sentence}`, (t) => holds(t, story, true));
