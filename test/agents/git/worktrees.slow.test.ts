/** Worktrees that are linked to a submodule's, guards in another worktree's module. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { emptyRepository } from "../../repository.ts";
import { beginSession, guarding, hook, mustRun, place, refusing, scratch } from "./scratch.ts";

test("[T34] a submodule's own worktree counts where another is linked to it", (t) => {
  const self = scratch(t);
  const library = join(self.folder, "library");
  emptyRepository(library);
  assert.equal(self.commit({ cwd: library }).code, 0);
  self.mustGit(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "library"]);
  self.write("library/.discobot/hooks/check.sh", refusing, 0o755);
  const linked = join(self.folder, "linked");
  self.mustGit(["worktree", "add", "--quiet", linked], join(self.top, "library"));
  assert.match(mustRun(self, ["git", "install"], linked), /1 hook listens to commits: Type check/);
});

test("a guard in another worktree's module is asked there", (t) => {
  const self = scratch(t);
  self.write("file", "");
  assert.equal(self.commit().code, 0);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  mkdirSync(join(other, ".hookline"));
  writeFileSync(
    join(other, "hookline.config.js"),
    'export default [{ on: "git.pre-commit", role: "guard", run: () => ({ deny: "not here" }) }];\n',
  );
  mustRun(self, ["git", "install"]);
  assert.ok(self.has(place));
  assert.equal(self.commit().code, 0);
  const refused = self.commit({ cwd: other });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /not here/);
});

test("[T34] a submodule asks its own hooks, not those of the repository around it", (t) => {
  const self = scratch(t);
  const library = join(self.folder, "library");
  emptyRepository(library);
  assert.equal(self.commit({ cwd: library }).code, 0);
  self.mustGit(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "library"]);
  const submodule = join(self.top, "library");
  self.write(".hookline/hooks.json", guarding);
  assert.match(mustRun(self, ["git", "install"], submodule), /^nothing is installed/);
  self.write("library/.discobot/hooks/check.sh", refusing, 0o755);
  assert.match(mustRun(self, ["git", "install"], submodule), /\n {2}1 hook listens to commits: Type check\n/);
  assert.ok(self.has(".git/modules/library/hooks/pre-commit"));
  mustRun(self, ["git", "uninstall"], submodule);
  assert.ok(!self.has(".git/modules/library/hooks/pre-commit"));
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
