/** The demo that users have, as a person reads it in a narrow terminal. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { rowsIn } from "./demo-rows.ts";

test("in 80 columns the demo shows each run in two parts, so that the event and the whole answer can be read; it trusts its own sample, and nothing in the person's state", (t) => {
  const folder = temporaryFolder(t);
  const started = spawnSync(
    process.execPath,
    [join(packageForTests("asked"), "bin", "hookline.js"), "demo", "--once"],
    {
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", HOME: folder, XDG_STATE_HOME: join(folder, "state"), COLUMNS: "80" },
    },
  );
  assert.equal(started.status, 0, started.stderr);
  const place = /recorded run are in (.*)\. Next:$/m.exec(started.stdout)?.[1] ?? assert.fail("no folder");
  t.after(() => rmSync(place, { recursive: true, force: true }));
  assert.equal(existsSync(join(folder, "state", "hookline", "trust")), false);
  const lines = started.stdout.split("\n");
  const rows = rowsIn(lines);
  assert.deepEqual(
    rows.filter((row) => row.length > 80),
    [],
  );
  assert.equal(lines.filter((line) => /^ {2}(?:npx )?hookline /.test(line)).length, 3, "it ends with what to try next");
  const text = rows.join("\n");
  assert.match(text, /^event +what came of it +ms\n +hook +answered\n/);
  assert.match(
    text,
    /^PreToolUse Bash: git push --force origin main +denied: it did not run +\d+\n +no force push +Force pushes rewrite what others have\. Push without\n +--force, or ask a person\.$/m,
  );
  assert.match(text, /^SessionStop +kept in the run +\d+\n +build_check +Src build: success\. ⏎ Ran$/m);
});
