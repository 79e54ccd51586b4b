/** Commits in repositories where nothing looks younger than what install has seen, and what a guard must refuse there. */
import assert from "node:assert/strict";
import { cpSync, lstatSync, lutimesSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { emptyRepository } from "../../repository.ts";
import { type Ended, installed, refusing, type Scratch, script } from "./scratch.ts";

export const guard: string = JSON.stringify({
  hooks: {
    "git.pre-commit": [{ hooks: [{ type: "command", command: "echo refused by guard >&2; exit 2", role: "guard" }] }],
  },
});

const old = new Date(Date.now() - 3_600_000);
/** All that is below was there an hour ago. */
export function age(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name === ".git") continue;
    const path = join(folder, name);
    if (lstatSync(path).isDirectory()) age(path);
    lutimesSync(path, old, old);
  }
  lutimesSync(folder, old, old);
}

export function agedCommit(self: Scratch, cwd: string = self.top): Ended {
  age(cwd);
  if (cwd !== self.top) age(self.top);
  return self.commit({ cwd });
}

export function assertRefused({ code, stderr }: Ended): void {
  assert.notEqual(code, 0, "the commit passed");
  assert.match(stderr, /refused by guard\nhookline: .+ refused the commit/);
}

/** @param paths where such a file appears */
export function askedAtOnce(self: Scratch, paths: readonly string[]): void {
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  self.write(".claude/off.json", guard);
  self.write("away/plugins/mine/hooks/hooks.json", guard);
  installed(self);
  assert.deepEqual(agedCommit(self).code, 0);
  for (const path of paths) {
    if (path === "home of rules") {
      renameSync(join(self.top, "away/plugins"), join(self.top, ".hookline/plugins"));
    } else cpSync(join(self.top, ".claude/off.json"), join(self.top, path), { preserveTimestamps: true });
    assertRefused(agedCommit(self));
    rmSync(join(self.top, path === "home of rules" ? ".hookline/plugins" : path), { recursive: true });
    assert.equal(self.commit().code, 0, path);
    assert.equal(agedCommit(self).code, 0, path);
  }
}

/** @param more files of guards that come and go */
export function askedWhereShared(self: Scratch, more: readonly string[]): void {
  self.mustGit(["config", "--global", "core.hooksPath", join(self.folder, "home", "hooks of all")]);
  self.write(".hookline/hooks/format.sh", script({ type: "pre-commit", pattern: '"*.never"' }, ""), 0o755);
  self.write(".claude/settings.json", guard);
  installed(self);
  assertRefused(agedCommit(self));
  const other = join(self.folder, "another repository");
  mkdirSync(other);
  emptyRepository(other);
  self.write("../another repository/.hookline/hooks/check.sh", refusing, 0o755);
  assert.equal(self.commit({ cwd: other }).code, 0);
  assertRefused(agedCommit(self));
  for (const path of more) {
    rmSync(join(self.top, ".claude"), { recursive: true, force: true });
    self.write(path, guard);
    assertRefused(agedCommit(self));
    rmSync(join(self.top, path));
  }
}

/** What a guard may lose of its front matter. */
export const lost: Readonly<Record<string, (text: string) => string>> = {
  "its type": (text) => text.replace(/^# type.*\n/m, ""),
  "both delimiters": (text) => text.replaceAll("#---\n", ""),
  "the last delimiter, and its type became another": (text) =>
    text.replace(/#---\n(?!# )/, "").replace("pre-commit", "file"),
  "its type to one that goes on in the next line": (text) => text.replace("pre-commit", "file\n#   pre commit"),
};

export function refusesWithout(self: Scratch, change: (text: string) => string): void {
  const hook = ".hookline/hooks/check.sh";
  const text = script({ name: "Check", type: "pre-commit" }, "echo refused by guard; exit 1");
  self.write(hook, text, 0o755);
  installed(self);
  assertRefused(agedCommit(self));
  self.write(hook, change(text), 0o755);
  assertRefused(agedCommit(self));
}

/** @param keys as which the second pattern of a front matter may be written */
export function lastPatternCounts(self: Scratch, keys: readonly string[]): void {
  const hook = ".hookline/hooks/check.sh";
  for (const key of keys) {
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
}
