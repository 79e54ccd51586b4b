/** What a session's scripts are run for, in repositories: nothing that was changed is missed, whoever changed it and however much it is. */
import { test } from "node:test";
import { holds, stories } from "./changed-stories.ts";

/** npm run test:slow has all in both ways. */
const watched = ["goes back to it"];
const afresh = ["however many files", "git cannot say"];

for (const [way, sentences] of Object.entries({ watched, "looked at afresh": afresh }))
  for (const story of stories.filter(({ sentence }) => sentences.some((one) => sentence.includes(one))))
    test(`${way}: ${story.sentence}`, (t) => holds(t, story, way === "watched"));
