/** Files of every kind that scripts are run for by hand. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { command, hooksFile, scratchWith, script } from "./run-place.ts";

/** Reads its names between NULs, as they may hold anything. */
const complains = script(
  'names="$HOOKLINE_CHANGED_FILES_0"; tr "\\0" "|" < "$names" >> log; ! xargs -0 grep -l bad < "$names"',
);

test("--all takes names that are no UTF-8, too", { skip: process.platform !== "linux" }, (t) => {
  for (const inRepository of [true, false]) {
    const scratch = scratchWith(t, { "workspace/.hookline/hooks/go-fmt.sh": complains });
    writeFileSync(Buffer.from(join(scratch.workspace, "caf\u00e9.go"), "latin1"), "bad\n");
    if (inRepository) scratch.commit();
    assert.equal(scratch.hookline("run", "go-fmt.sh", "--all").status, 1);
    assert.equal(readFileSync(join(scratch.workspace, "log"), "latin1"), "caf\u00e9.go|");
  }
});

test("--all without a repository takes the files of the folder; it is refused for hooks that look at no files", (t) => {
  const { hookline, told, workspace } = scratchWith(t, {
    "workspace/.hookline/hooks/go-fmt.sh": complains,
    ...hooksFile({ Stop: [command("tests", "exit 0")] }),
    "workspace/deep/a.go": "good\n",
    "workspace/node_modules/b.go": "bad\n",
  });
  rmSync(join(workspace, ".git"), { recursive: true });
  const { status, event } = told("run", "go-fmt.sh", "--all");
  assert.deepEqual(
    [status, event.data.changed_files],
    [0, [".hookline/hooks.json", ".hookline/hooks/go-fmt.sh", "deep/a.go"]],
  );
  const refused = hookline("run", "tests", "--all");
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /--all: tests does not look at changed files/);
});

test("rerun of a run for pending files runs for them again, also after the check has passed, and for files that are gone", (t) => {
  const { hookline, told, read, write, commit, workspace } = scratchWith(t, {
    "workspace/.gitignore": "log\n",
    "workspace/.hookline/hooks/go-fmt.sh": complains,
    "workspace/a.go": "good\n",
    "workspace/sub/gone.go": "good\n",
  });
  commit();
  told("emit", "SessionStart", "--session", "s");
  write("workspace/a.go", "bad\n");
  rmSync(join(workspace, "sub", "gone.go"));
  told("emit", "Stop", "--session", "s");
  write("workspace/b.go", "good\n");
  const [owed] = told("emit", "Stop", "--session", "s").runs;
  assert.equal(owed?.status, "failed");
  write("workspace/a.go", "good again\n");
  const log = (): string => read("workspace/log");
  const paying = told("rerun", owed?.id ?? "");
  assert.deepEqual([paying.status, paying.owed], [0, false]);
  const before = log();
  const again = told("rerun", owed?.id ?? "");
  assert.deepEqual([again.status, again.runs.map(({ status }) => status)], [0, ["completed"]]);
  assert.equal(log().slice(before.length), "a.go|b.go|");
  rmSync(join(workspace, "a.go"));
  rmSync(join(workspace, "b.go"));
  const gone = told("rerun", owed?.id ?? "").runs;
  const { steps } = JSON.parse(hookline("runs", "show", gone[0]?.id ?? "", "--json").stdout);
  assert.deepEqual(steps[0].output.removed.sort(), ["a.go", "b.go", "sub/gone.go"]);
});
