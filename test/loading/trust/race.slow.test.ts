/** Hundreds of starts of a trusted script that is exchanged meanwhile; RACE_STARTS is their number. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../temporary-folder.ts";
import { race } from "./race.ts";

test("[T3] of 300 starts of a script that is changed before, while or after it runs, no answer of other bytes counts", {
  timeout: 1_800_000,
}, async (t) => {
  const folder = temporaryFolder(t);
  const starts = Number(process.env.RACE_STARTS ?? 300);
  const { good, refused, failed, evil } = await race(folder, starts);
  assert.deepEqual(evil, []);
  assert.equal(good + refused + failed, starts);
  assert.ok(good > 0 && refused > 0 && failed > 0, JSON.stringify({ good, refused, failed }));
});
