/** What a command prints is written whole, whatever the pace of its reader. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, place, reachesLateReader } from "./late-reader.ts";

test("a reader that begins late gets all of the JSON that a command prints", (t) => reachesLateReader(t, "JSON"));

test("a reader that goes away before it has all ends the command without a word", async (t) => {
  const { stdout, stuck, ended } = place(t).hookline("runs", "--all", "--json", "--limit", String(count));
  await stuck;
  stdout.destroy();
  assert.deepEqual(await ended, { code: 0, stderr: "" });
});
