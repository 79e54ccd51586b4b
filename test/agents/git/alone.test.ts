/** What a commit does where Hookline is gone: the stub alone has to decide. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { alone, hook, noGuardPasses, runsBeside, start } from "./gone-hookline.ts";
import { bin, scratch, script } from "./scratch.ts";

for (const what of ["an ampersand", "a remark behind the type"])
  test(`[E48] without Hookline a script for commits runs, be there ${what} in its front matter`, (t) =>
    runsBeside(t, what));

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
      /only Hookline can tell whether \.hookline\/hooks\/check\.sh is a pre-commit script, so the commit is refused — install Hookline again; or take it out of git: rm \.git\/hooks\/pre-commit; or pass by it once: git commit --no-verify\n$/,
    );
  }
});

test("[E48] without Hookline scripts get the staged files as from Hookline itself", (t) => {
  const self = scratch(t);
  const report = join(self.folder, "report");
  const telling = (more: object): string =>
    script(
      { type: "pre-commit", ...more },
      `printf '%s\\n' "$HOOKLINE_CHANGED_FILES" >> '${report}'; tr '\\0' '|' < "$DISCOBOT_CHANGED_FILES_0" >> '${report}'; printf '\\n[%s]\\n' "$DISCOBOT_CHANGED_FILES" >> '${report}'`,
    );
  self.write(".hookline/hooks/all.sh", telling({}), 0o755);
  self.write(".hookline/hooks/go.sh", telling({ pattern: '"*.go"' }), 0o755);
  self.write("gone.go", "");
  assert.equal(self.commit().code, 0);
  self.mustGit(["rm", "--quiet", "gone.go"]);
  for (const name of ["-n", "$(touch made)", "it's", "a b.go", "c\nd", "é.go", "plain.go"]) self.write(name, "");
  alone(self);
  const { code, stderr } = start(self);
  assert.equal(code, 0, stderr);
  const all = "'$(touch made)' ./-n 'a b.go' 'c\nd' 'it'\\''s' plain.go é.go";
  const go = "'a b.go' plain.go é.go";
  assert.equal(
    self.read("../report"),
    `${all}\n$(touch made)|-n|a b.go|c\nd|it's|plain.go|é.go|\n[${all}]\n${go}\na b.go|plain.go|é.go|\n[${go}]\n`,
  );
  assert.ok(!self.has("made"));
  assert.deepEqual(
    readdirSync(self.folder).filter((name) => name.startsWith("hookline-")),
    [],
  );
});

test("[E48] without Hookline a commit is refused if its files cannot be passed to scripts", (t) => {
  const self = scratch(t);
  self.write(hook, script({ type: "pre-commit" }, "exit 0"), 0o755);
  alone(self);
  self.mustGit(["add", "--all"]);
  const { code, stderr } = self.commit({ environment: { TMPDIR: "/nowhere" } });
  assert.notEqual(code, 0);
  assert.match(stderr, /no folder can be made for the names of staged files, so the commit is refused/);
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
  noGuardPasses(t, 40));
