import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { beginSession, guarding, hook, mustRun, place, refusing, scratch, script } from "./scratch.ts";

test("[T34] a bare repository's worktrees do not run the hooks of the folder around it", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks.json", guarding);
  assert.equal(self.commit().code, 0);
  const bare = join(self.top, "bare.git");
  self.mustGit(["clone", "--quiet", "--bare", self.top, bare]);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other], bare);
  rmSync(join(other, ".hookline"), { recursive: true });
  assert.match(mustRun(self, ["git", "install"], other), /^nothing is installed/);
});

test("[ET26] a linked worktree made after install asks the main worktree's guards, which git ignores", (t) => {
  const self = scratch(t);
  self.write(".gitignore", ".hookline\n");
  assert.equal(self.commit().code, 0);
  self.write(".hookline/hooks.json", guarding);
  mustRun(self, ["git", "install"]);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  assert.match(self.commit({ cwd: other }).stderr, /refused by guard\nhookline: .+ refused the commit/);
});

const module = (mark: string): string =>
  `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "");\nexport default [];\n`;

test("code of a worktree runs only if a person or an agent works there, and is read for the hooks that it may hold", (t) => {
  const self = scratch(t);
  self.write("file", "");
  assert.equal(self.commit().code, 0);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  mkdirSync(join(other, ".hookline")); // else it would use the main worktree's files
  const mark = join(self.folder, "run");
  writeFileSync(join(other, "hookline.config.js"), module(mark));
  const wasRun = (): boolean => readdirSync(self.folder).includes("run");
  for (const words of [
    ["git", "install", "--dry-run"],
    ["git", "install"],
  ])
    mustRun(self, words);
  beginSession(self);
  assert.ok(!wasRun());
  assert.equal(self.commit().code, 0);
  assert.ok(!wasRun());
  assert.equal(self.commit({ cwd: other }).code, 0);
  assert.ok(wasRun());
});

test("check and install report a script below the worktree's top, because no commit runs it", (t) => {
  const self = scratch(t);
  const below = `packages/a/${hook}`;
  self.write(below, refusing, 0o755);
  self.write("packages/a/.hookline/hooks.json", guarding);
  self.write("packages/b/.discobot/hooks/other.sh", script({ type: "session" }, ""), 0o755);
  const notAsked =
    /packages\/a\/\.hookline\/hooks\/check\.sh does not run: commits run only hooks at the top of the worktree/;
  const said = mustRun(self, ["git", "install"]);
  assert.match(said, /^nothing is installed/);
  assert.match(said, notAsked);
  assert.match(said, /packages\/a\/\.hookline\/hooks\.json does not run/);
  assert.doesNotMatch(said, /packages\/b/);
  const finding =
    /check\.sh:1:1 warning event-never-sent this hook never runs.*\(move it to .*\/repository\/\.hookline\/hooks\/check\.sh\)/;
  assert.match(mustRun(self, ["check"], join(self.top, "packages/a")), finding);
  assert.match(mustRun(self, ["check", below]), finding);
  self.write(hook, refusing, 0o755);
  assert.doesNotMatch(mustRun(self, ["check"]), /no commit asks/);
  assert.match(mustRun(self, ["git", "install"]), notAsked);
});

test("[E51] a new repository at the path of an old one gets no hook by itself", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  renameSync(join(self.top, ".git"), join(self.folder, "before"));
  self.mustGit(["init", "--quiet"]);
  beginSession(self);
  assert.ok(!self.has(place));
});

test("a session says why git runs Hookline again: there is a new hook, another tool wrote its own, or ours was removed", (t) => {
  const self = scratch(t);
  const told = (): string => beginSession(self);
  mustRun(self, ["git", "install"]);
  assert.equal(told(), "");
  self.write(hook, refusing, 0o755);
  assert.match(told(), /git runs Hookline before commits: a hook now listens to commits/);
  assert.equal(told(), "");
  self.write(place, "#!/bin/sh\n", 0o755);
  assert.match(told(), /git runs Hookline before commits again: another tool had replaced its hook/);
  rmSync(join(self.top, place));
  assert.match(told(), /git runs Hookline before commits again: its hook had been removed/);
  rmSync(join(self.top, hook));
  assert.equal(told(), "");
  mustRun(self, ["git", "install"]);
  assert.equal(told(), "");
});
