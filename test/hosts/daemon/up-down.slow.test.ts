/** hookline up where it cannot start, or may beside another; up-down.test.ts has what people usually see. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { placeFor } from "./started.ts";

test("up --once names the running daemon too, and another store may have a daemon at the same time", async (t) => {
  const place = placeFor(t);
  await place.up();
  assert.match(place.hookline("up", "--once").stderr, /running already/);
  const elsewhere = place.hookline("up", "--once", "--store", join(place.folder, "other.db"));
  assert.equal(elsewhere.status, 0, elsewhere.stderr);
});

test("an impossible port and a folder that does not exist are reported, and a start that failed holds nothing", (t) => {
  const place = placeFor(t);
  assert.equal(place.hookline("up", "--port", "65536").status, 2);
  assert.equal(place.hookline("up", "--workspace", "nowhere").status, 2);
  assert.equal(place.hookline("up", "--once").status, 0);
});
