/** More ways in which a daemon loses its place. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { test } from "node:test";
import { endsWithout, files, stateOf } from "./losses.ts";
import { placeFor } from "./started.ts";

test("[X8] a daemon at rest ends when its state folder is moved away, and makes nothing of it anew", (t) =>
  endsWithout(t, "its state folder is moved away"));

test("[X8] a daemon at rest ends when its store is deleted, and makes nothing of it anew", (t) =>
  endsWithout(t, "its store is deleted"));

test("[X8] a daemon at rest ends when its address is deleted, and makes nothing of it anew", (t) =>
  endsWithout(t, "its address is deleted"));

test("[X8] a daemon at rest ends when its address is another process's, and makes nothing of it anew", (t) =>
  endsWithout(t, "its address is another process's"));

test("[X8] a daemon whose folder was deleted a moment ago refuses events rather than making the folder anew", async (t) => {
  const place = placeFor(t, files);
  const daemon = await place.up();
  const end = once(daemon.child, "exit");
  rmSync(stateOf(place), { recursive: true });
  await daemon.emit("build.finished").catch(() => {}); // it may have closed its door already
  assert.deepEqual(await end, [0, null]);
  assert.ok(!existsSync(stateOf(place)));
});

test("[X8] a daemon at rest ends when its state folder is deleted, and makes nothing of it anew", (t) =>
  endsWithout(t, "its state folder is deleted"));
