/** A slow reader of text, which a command prints line by line, and a signal meanwhile; output.test.ts has JSON. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { count, place, reachesLateReader } from "./late-reader.ts";

test("a reader that begins late gets all of the text that a command prints", (t) => reachesLateReader(t, "text"));

test("a command that waits for its reader ends by a signal", async (t) => {
  const { child, stuck, ended } = place(t).hookline("runs", "--all", "--json", "--limit", String(count));
  await stuck;
  child.kill("SIGTERM");
  assert.deepEqual(await ended, { code: "SIGTERM", stderr: "" });
});
