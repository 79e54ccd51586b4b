/** What a commit does where Hookline is gone: the stub alone has to decide. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { alone, hook, isSeenBeside, noGuardPasses, start } from "./gone-hookline.ts";
import { bin, scratch, script } from "./scratch.ts";

for (const what of ["an ampersand", "a remark behind the type"])
  test(`[E48] without Hookline a script for commits is seen and refuses the commit, be there ${what} in its front matter`, (t) =>
    isSeenBeside(t, what));

test("[E48] without Hookline a script that may be one for commits refuses, and says how to continue", (t) => {
  const self = scratch(t);
  alone(self);
  for (const header of [
    "# name: Check",
    "# type:\n#   pre-commit",
    "# type: precommit",
    "# type: file\n# type: pre-commit",
  ]) {
    self.write(hook, `#!/bin/sh\n#---\n${header}\n#---\nexit 0\n`, 0o755);
    const { code, stderr } = start(self);
    assert.notEqual(code, 0, header);
    assert.match(
      stderr,
      /only Hookline can tell whether \.hookline\/hooks\/check\.sh is a pre-commit script, so the commit is refused — npm install -g hookline installs Hookline .*; or take it out of git: rm \.git\/hooks\/pre-commit; or pass by it once: git commit --no-verify\n$/,
    );
  }
});

test("a Hookline of which only the front is left refuses in one sentence, which says how to continue", (t) => {
  const self = scratch(t);
  self.write(hook, script({ type: "pre-commit" }, "exit 0"), 0o755);
  const copy = self.write("../rest/bin/hookline.js", readFileSync(bin, "utf8"));
  alone(self, { program: [process.execPath, copy] });
  const { code, stderr } = self.commit();
  assert.notEqual(code, 0);
  assert.match(
    stderr,
    /^hookline: \S+main\.js is missing — \S+ — install Hookline again; the commit is refused .*--no-verify\n$/,
  );
});

test("[E48] no front matter that Hookline takes for a guard, or a lost one, passes without it", (t) =>
  noGuardPasses(t, 20));
