/** As many at once as hooks of a busy session, and people, start. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { oneIsTheDaemon } from "./client-started.ts";
import { placeFor } from "./started.ts";

test("[X8] of eight that clients start at once one is the daemon, and the others end without a word", (t) =>
  oneIsTheDaemon(t, 8));

test("of several that people start at once one is the daemon", async (t) => {
  const place = placeFor(t);
  const starts = await Promise.allSettled([1, 2, 3, 4].map(() => place.up()));
  assert.equal(starts.filter(({ status }) => status === "fulfilled").length, 1);
  for (const start of starts)
    if (start.status === "rejected") assert.match(String(start.reason), /a daemon is running already/);
});
