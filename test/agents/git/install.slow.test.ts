/** Rarer places and forms of the hooks that install finds or makes. */
import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { beginSession, foreign, hook, hooksIn, mustRun, place, refusing, scratch } from "./scratch.ts";

test("[E46] links stay links, bytes that are no text stay bytes, and what git does not run is not run", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  self.write("tools/the-hook", foreign, 0o755);
  symlinkSync("../../tools/the-hook", join(self.top, place));
  mustRun(self, ["git", "install"]);
  assert.equal(readlinkSync(join(self.top, `${place}.original`)), "../../tools/the-hook");
  assert.match(self.commit().stderr, /the first hook/);
  mustRun(self, ["git", "uninstall"]);
  assert.ok(lstatSync(join(self.top, place)).isSymbolicLink());
  rmSync(join(self.top, place));
  const bytes = Buffer.from([0x7f, 0x45, 0xff, 0xfe, 0x00, 0x0a]);
  writeFileSync(join(self.top, place), bytes, { mode: 0o600 });
  chmodSync(join(self.top, place), 0o600);
  assert.match(
    mustRun(self, ["git", "install"]),
    /the hook that was there is kept as pre-commit\.original; it is not executable, so git did not run it, and nor does Hookline\n/,
  );
  assert.equal(self.commit().code, 0);
  mustRun(self, ["git", "uninstall"]);
  assert.deepEqual(readFileSync(join(self.top, place)), bytes);
  assert.equal(statSync(join(self.top, place)).mode & 0o777, 0o600);
});

test("[E46] an older original is never overwritten, and the one that was in place is the one that runs", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  self.write(`${place}.original`, "#!/bin/sh\necho somebody else kept this\n", 0o755);
  self.write(place, foreign, 0o755);
  mustRun(self, ["git", "install"]);
  assert.equal(self.read(`${place}.original`), "#!/bin/sh\necho somebody else kept this\n");
  assert.equal(self.read(`${place}.original.2`), foreign);
  const { stderr, code } = self.commit();
  assert.equal(code, 0, stderr);
  assert.match(stderr, /the first hook/);
  assert.doesNotMatch(stderr, /somebody else/);
  mustRun(self, ["git", "uninstall"]);
  assert.equal(self.read(place), foreign);
  assert.deepEqual(hooksIn(join(self.top, ".git/hooks")), ["pre-commit", "pre-commit.original"]);
});

test("a folder of hooks may have a line break in its path", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  const odd = join(self.folder, "a\nb");
  self.mustGit(["config", "core.hooksPath", odd]);
  mustRun(self, ["git", "install"]);
  assert.deepEqual(hooksIn(odd), ["pre-commit"]);
});

test("a folder of hooks that was not there goes with the hook", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  rmSync(join(self.top, ".git/hooks"), { recursive: true });
  mustRun(self, ["git", "install"]);
  assert.ok(self.has(place));
  mustRun(self, ["git", "install"]);
  mustRun(self, ["git", "uninstall"]);
  assert.ok(!self.has(".git/hooks"));
});

test("install and uninstall report a kept hook that was deleted, whichever of them looked before", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  self.write(place, foreign, 0o755);
  mustRun(self, ["git", "install"]);
  rmSync(join(self.top, `${place}.original`));
  beginSession(self);
  const gone = /pre-commit\.original, the hook that was kept, is no longer there/;
  assert.match(mustRun(self, ["git", "install"]), gone);
  assert.equal(self.commit().code, 0);
  assert.match(mustRun(self, ["git", "uninstall"]), gone);
});

test("[E51] a script of another worktree is reason enough to stay", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  assert.equal(self.commit().code, 0);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  rmSync(join(self.top, hook));
  mustRun(self, ["git", "install"]);
  assert.ok(self.has(place));
});
