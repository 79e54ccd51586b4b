import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { race } from "./race.ts";

test("[T3] of a script that another process exchanges all the time, only the trusted bytes ever run", (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-raced-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { good, refused, evil } = race(folder, 1_000);
  assert.deepEqual(evil, []);
  assert.ok(good === 1_000 && refused > 0);
});
