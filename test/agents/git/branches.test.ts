/** Commits on branches of which only some have hooks: the file that git runs serves them all. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { beginSession, type Ended, place, refusing, type Scratch, scratch } from "./scratch.ts";

const listening = (command: string): string =>
  JSON.stringify({ hooks: { "git.pre-commit": [{ hooks: [{ type: "command", command, role: "guard" }] }] } });
const guard = listening("[ ! -e bad ] || { echo bad is there >&2; exit 2; }");
const settings = ".claude/settings.json";
const script = ".hookline/hooks/check.sh";

function mustRun(self: Scratch, words: readonly string[]): void {
  const { code, stderr } = self.hookline(words);
  assert.equal(code, 0, stderr);
}

function assertRefused({ code, stderr }: Ended): void {
  assert.notEqual(code, 0, "the commit passed");
  assert.match(stderr, /bad is there\nhookline: ".+" refused the commit/);
}

interface Branches {
  what: string;
  /** On every branch. */
  base: Readonly<Record<string, string>>;
  /** On the branch with a guard. */
  guarded: Readonly<Record<string, string>>;
}
const kinds: Branches[] = [
  {
    what: "a pre-commit script",
    base: { ".hookline/hooks.json": '{"hooks":{}}' },
    guarded: { [script]: refusing },
  },
  {
    what: "a guard in a file of its own",
    base: { [settings]: '{"permissions":{}}' },
    guarded: { ".hookline/hooks.json": guard, [settings]: '{"permissions":{"allow":[]}}' },
  },
  { what: "a guard in a file that every branch has", base: { [settings]: "{}" }, guarded: { [settings]: guard } },
];

/** Installed on the branch `guarded`, which is checked out. */
function branches(self: Scratch, { base, guarded }: Branches): void {
  for (const [path, text] of Object.entries(base)) self.write(path, text);
  assert.equal(self.commit().code, 0);
  self.mustGit(["checkout", "--quiet", "-b", "guarded"]);
  for (const [path, text] of Object.entries(guarded)) self.write(path, text, path === script ? 0o755 : 0o644);
  assert.equal(self.commit().code, 0);
  mustRun(self, ["git", "install"]);
}

/** A try that the branch's guard refuses, and that leaves nothing behind. */
function assertGuarded(self: Scratch): void {
  self.write("bad", "");
  assertRefused(self.commit());
  self.mustGit(["rm", "--quiet", "--cached", "bad"]);
  rmSync(join(self.top, "bad"));
}

for (const kind of kinds) {
  test(`[E51] ${kind.what} is asked after a commit on a branch without it`, (t) => {
    const self = scratch(t);
    branches(self, kind);
    assertGuarded(self);
    for (const _ of ["once", "and again"]) {
      self.mustGit(["checkout", "--quiet", "main"]);
      const { code, stderr } = self.commit();
      assert.deepEqual([code, stderr], [0, ""]);
      assert.ok(isStub(self.read(place)));
      assert.match(self.read(place), /^for_each_noted\(\) \{ for_each_of "\$1"; \}$/m, "main has nothing to ask about");
      self.mustGit(["checkout", "--quiet", "guarded"]);
      assertGuarded(self);
    }
  });

  test(`[E51] ${kind.what} is asked after a session on a branch without it`, (t) => {
    const self = scratch(t);
    branches(self, kind);
    self.mustGit(["checkout", "--quiet", "main"]);
    beginSession(self);
    assert.equal(self.commit().code, 0);
    self.mustGit(["checkout", "--quiet", "guarded"]);
    assertGuarded(self);
  });
}

test("[E51] a session on a branch without hooks puts back what another tool has written over", (t) => {
  const self = scratch(t);
  branches(self, { what: "", base: { "a.txt": "" }, guarded: { [script]: refusing } });
  self.mustGit(["checkout", "--quiet", "main"]);
  self.write(place, "#!/bin/sh\necho theirs\n", 0o755);
  beginSession(self);
  self.mustGit(["checkout", "--quiet", "guarded"]);
  self.write("bad", "");
  const refused = self.commit();
  assertRefused(refused);
  assert.match(refused.stderr, /^theirs\n/);
});

test("[E51] only uninstall takes the hook out once it is in place", (t) => {
  const self = scratch(t);
  self.write(place, "#!/bin/sh\n# theirs\n", 0o755);
  self.write(script, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  rmSync(join(self.top, script));
  assert.equal(self.commit().code, 0);
  beginSession(self);
  assert.ok(isStub(self.read(place)));
  mustRun(self, ["git", "install"]);
  assert.ok(isStub(self.read(place)));
  mustRun(self, ["git", "uninstall"]);
  assert.equal(self.read(place), "#!/bin/sh\n# theirs\n");
  beginSession(self);
  assert.equal(self.read(place), "#!/bin/sh\n# theirs\n");
});
