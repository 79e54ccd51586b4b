/** Daemons whose place is taken away under them: they end by themselves, and make none of it anew. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bin } from "../../program.ts";
import { stateOf } from "./losses.ts";
import { placeFor } from "./started.ts";

test("[X8] a daemon that a client starts for a home that is gone in the meantime ends without a word, and makes nothing", (t) => {
  const place = placeFor(t);
  rmSync(place.environment.HOME ?? "", { recursive: true });
  const said = spawnSync(process.execPath, [bin, "up", "--on-demand"], {
    cwd: place.workspace,
    env: place.environment,
    encoding: "utf8",
  });
  assert.deepEqual([said.status, said.stdout, said.stderr], [0, "", ""]);
  assert.ok(!existsSync(join(stateOf(place), "hookline.db")));
});
