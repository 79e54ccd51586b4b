/** Commits that a guard refuses, in repositories where nothing looks younger than what install has seen. */
import assert from "node:assert/strict";
import { cpSync, lstatSync, lutimesSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type Ended, refusing, type Scratch, scratch, script } from "./scratch.ts";

const guard = JSON.stringify({
  hooks: {
    "git.pre-commit": [{ hooks: [{ type: "command", command: "echo refused by guard >&2; exit 2", role: "guard" }] }],
  },
});

function installed(self: Scratch, cwd = self.top): void {
  const { code, stderr } = self.hookline(["git", "install"], { cwd });
  assert.equal(code, 0, stderr);
}

const old = new Date(Date.now() - 3_600_000);
/** All that is below was there an hour ago. */
function age(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name === ".git") continue;
    const path = join(folder, name);
    if (lstatSync(path).isDirectory()) age(path);
    lutimesSync(path, old, old);
  }
  lutimesSync(folder, old, old);
}

function agedCommit(self: Scratch, cwd = self.top): Ended {
  age(cwd);
  if (cwd !== self.top) age(self.top);
  return self.commit({ cwd });
}

function assertRefused({ code, stderr }: Ended): void {
  assert.notEqual(code, 0, "the commit passed");
  assert.match(stderr, /refused by guard\nhookline: .+ refused the commit/);
}

test("[E48] a file of hooks that appears with an old date is asked at once", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  self.write(".claude/off.json", guard);
  self.write("away/plugins/mine/hooks/hooks.json", guard);
  installed(self);
  assert.deepEqual(agedCommit(self).code, 0);
  for (const path of [".claude/settings.json", ".hookline/hooks.json", "home of rules"]) {
    if (path === "home of rules") {
      renameSync(join(self.top, "away/plugins"), join(self.top, ".hookline/plugins"));
    } else cpSync(join(self.top, ".claude/off.json"), join(self.top, path), { preserveTimestamps: true });
    assertRefused(agedCommit(self));
    rmSync(join(self.top, path === "home of rules" ? ".hookline/plugins" : path), { recursive: true });
    assert.equal(self.commit().code, 0, path);
    assert.equal(agedCommit(self).code, 0, path);
  }
});

test("[E48] a user's own file of hooks that appears with an old date is asked at once", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  installed(self);
  assert.equal(agedCommit(self).code, 0);
  self.write("../home/.config/hookline/hooks.json", guard);
  age(join(self.folder, "home"));
  assertRefused(agedCommit(self));
});

test("[E48] a repository in which nothing changes starts no Hookline, be it reached through a link", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  self.write(".claude/settings.json", "{}");
  self.write(".hookline/rules/about them.md", "");
  const link = join(self.folder, "a link");
  symlinkSync(self.top, link);
  installed(self);
  rmSync(join(self.folder, "state"), { recursive: true });
  assert.equal(agedCommit(self).code, 0);
  const linked = self.git(["commit", "--quiet", "--allow-empty", "--message", "x"], {
    cwd: link,
    environment: { PWD: link },
  });
  assert.equal(linked.code, 0, linked.stderr);
  assert.throws(() => readdirSync(self.state), /ENOENT/);
});

test("[ET26] a linked worktree made after install asks the main worktree's guards, which git ignores", (t) => {
  const self = scratch(t);
  self.write(".gitignore", ".hookline\n");
  assert.equal(self.commit().code, 0);
  self.write(".hookline/hooks.json", guard);
  installed(self);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  assertRefused(agedCommit(self, other));
});

test("[ET26] a linked worktree sees a file of the main worktree that appears with an old date", (t) => {
  const self = scratch(t);
  self.write(".gitignore", ".hookline\n");
  assert.equal(self.commit().code, 0);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  const other = join(self.folder, "other");
  self.mustGit(["worktree", "add", "--quiet", other]);
  installed(self);
  assert.equal(agedCommit(self, other).code, 0);
  rmSync(join(self.folder, "state"), { recursive: true });
  assert.equal(agedCommit(self, other).code, 0);
  assert.throws(() => readdirSync(self.state), /ENOENT/);
  self.write(".hookline/hooks.json", guard);
  assertRefused(agedCommit(self, other));
});

test("[T34] in a folder of hooks that serves all repositories the guards of every kind of file are asked", (t) => {
  const self = scratch(t);
  self.mustGit(["config", "--global", "core.hooksPath", join(self.folder, "home", "hooks of all")]);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  self.write(".claude/settings.json", guard);
  installed(self);
  assertRefused(agedCommit(self));
  const other = join(self.folder, "another repository");
  mkdirSync(other);
  self.mustGit(["init", "--quiet", other]);
  self.write("../another repository/.hookline/hooks/check.sh", refusing, 0o755);
  assert.equal(self.commit({ cwd: other }).code, 0);
  assertRefused(agedCommit(self));
  for (const path of [".gen/settings.local.json", ".hookline/plugins/mine/hooks/hooks.json"]) {
    rmSync(join(self.top, ".claude"), { recursive: true, force: true });
    self.write(path, guard);
    assertRefused(agedCommit(self));
    rmSync(join(self.top, path));
  }
});

const lost: Readonly<Record<string, (text: string) => string>> = {
  "its type": (text) => text.replace(/^# type.*\n/m, ""),
  "both delimiters": (text) => text.replaceAll("#---\n", ""),
  "the last delimiter, and its type became another": (text) =>
    text.replace(/#---\n(?!# )/, "").replace("pre-commit", "file"),
  "its type to one that goes on in the next line": (text) => text.replace("pre-commit", "file\n#   pre commit"),
};
for (const [what, change] of Object.entries(lost)) {
  test(`[E48] a guard that has lost ${what} still refuses`, (t) => {
    const self = scratch(t);
    const hook = ".hookline/hooks/check.sh";
    const text = script({ name: "Check", type: "pre-commit" }, "echo refused by guard; exit 1");
    self.write(hook, text, 0o755);
    installed(self);
    assertRefused(agedCommit(self));
    self.write(hook, change(text), 0o755);
    assertRefused(agedCommit(self));
  });
}

test("[E48] a type with a remark is read without the remark", (t) => {
  const self = scratch(t);
  self.write(
    ".hookline/hooks/check.sh",
    script({ type: "precommit # lints each file of a session" }, "echo refused by guard; exit 1"),
    0o755,
  );
  installed(self);
  const { code, stderr } = agedCommit(self);
  assert.notEqual(code, 0, stderr);
});

test("[E48] of two patterns, however they are written, the last one counts", (t) => {
  const self = scratch(t);
  const hook = ".hookline/hooks/check.sh";
  for (const key of ["pattern ", '"pattern"', "pattern"]) {
    self.write(
      hook,
      script({ type: "pre-commit", pattern: '"*.ts"', [key]: '"*.md"' }, "echo refused by guard; exit 1").replace(
        /pattern: "\*\.md"/,
        key === "pattern" ? 'pattern: "*.ts"\n# pattern: "*.md"' : "$&",
      ),
      0o755,
    );
    installed(self);
    self.write("a.md", key);
    assertRefused(agedCommit(self));
  }
});
