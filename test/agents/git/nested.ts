/** A kept hook that makes a commit itself. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isStub } from "../../../src/agents/git/stub.ts";
import { mustRun, place, type Scratch, script } from "./scratch.ts";

const hook = ".hookline/hooks/check.sh";

/**
 * Its commit is asked for like any other, and no variable switches that off.
 *
 * @param values that somebody may give the variable
 */
export function nestedIsAsked(self: Scratch, values: (top: string) => string[]): void {
  assert.equal(self.commit().code, 0);
  const nested = "git commit --quiet --allow-empty --message nested && echo it passed";
  self.write(place, `#!/bin/sh\n[ -e once ] && exit 0\n: > once\n${nested}\nexit 0\n`, 0o755);
  self.write(hook, script({ type: "pre-commit" }, "echo a script; exit 1"), 0o755);
  self.write(".gitignore", "once\n");
  mustRun(self, ["git", "install"]);
  self.mustGit(["add", "--all"]);
  const { code, stderr } = self.git(["commit", "--quiet", "--message", "outer"]);
  assert.notEqual(code, 0);
  assert.doesNotMatch(stderr, /it passed/);
  assert.equal(stderr.match(/^a script$/gm)?.length, 2, stderr);
  rmSync(join(self.top, "once"));
  for (const value of values(self.top))
    assert.notEqual(self.commit({ environment: { HOOKLINE_KEPT_HOOK: value } }).code, 0, value);
  assert.ok(isStub(self.read(place)));
}
