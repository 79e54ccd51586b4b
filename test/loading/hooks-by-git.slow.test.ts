/** What git may do with branches that hold hook files, without a question; hooks-by-git.test.ts has what is asked about. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { free, linesOf, others, repository } from "./hooks-by-git-place.ts";

test("branches, merges and stashes that leave hook files alone are asked about by nobody", async (t) => {
  const cwd = repository(t);
  assert.deepEqual(await others(t, linesOf(free), undefined, cwd), []);
});
