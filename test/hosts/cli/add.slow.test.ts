/** Dangerous calls of every kind once the guard pack is there; add.test.ts has two. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { packageForTests } from "../../../scripts/package-for-tests.ts";
import { emptyProject, guarded, stopped, stops } from "./add-place.ts";

test("after it each dangerous call is stopped with its true reason, and ordinary ones pass: one of each kind", (t) =>
  stops(guarded(t), stopped.length));

test("run twice it changes nothing, another level and --update show the difference and keep a person's own rules", (t) => {
  const { hookline, file } = emptyProject(t);
  hookline("add", "guard");
  const first = readFileSync(file, "utf8");
  const again = hookline("add", "guard");
  assert.deepEqual([again.status, readFileSync(file, "utf8")], [0, first]);
  assert.match(again.stdout, /nothing to do/);
  const own = "\n  - id: mine\n    condition: { type: never }\n    action: { type: gate }\n";
  writeFileSync(file, first.replace(/decision: deny/, "decision: ask") + own);
  const updated = hookline("add", "guard", "--update");
  assert.match(updated.stdout, /-.*decision: ask[\s\S]*\+.*decision: deny/);
  assert.ok(readFileSync(file, "utf8").startsWith(first) && readFileSync(file, "utf8").includes("- id: mine"));
  hookline("add", "guard", "--level", "quiet");
  const quiet = readFileSync(file, "utf8");
  assert.ok(quiet.includes("level quiet") && !quiet.includes("id: elevate") && quiet.includes("- id: mine"));
  const checked = hookline("check");
  assert.match(checked.stdout, /0 errors/);
});

test("only the rules that it wrote are trusted", (t) => {
  const program = join(packageForTests("asked"), "bin", "hookline.js");
  const { hookline, file, verdict } = emptyProject(t, program);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(
    join(file, "..", "other.yaml"),
    "hooks:\n  - id: other\n    on: tool_start\n    condition: { type: tool_name, match: shell.bash }\n    action: { type: shell, command: touch made }\n",
  );
  hookline("add", "guard");
  assert.equal(verdict("ls"), undefined);
  assert.match(verdict("rm -rf ~")?.reason ?? "", /home folder/);
  assert.ok(!existsSync(join(file, "..", "..", "..", "made")));
});
