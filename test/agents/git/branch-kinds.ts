/** Repositories in which one branch has a guard and another has none, and what must hold in each. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isStub } from "../../../src/agents/git/stub.ts";
import { beginSession, type Ended, mustRun, place, refusing, type Scratch } from "./scratch.ts";

const listening = (command: string): string =>
  JSON.stringify({ hooks: { "git.pre-commit": [{ hooks: [{ type: "command", command, role: "guard" }] }] } });
const guard = listening("[ ! -e bad ] || { echo bad is there >&2; exit 2; }");
const settings = ".claude/settings.json";
export const script = ".hookline/hooks/check.sh";

export function assertRefused({ code, stderr }: Ended): void {
  assert.notEqual(code, 0, "the commit passed");
  assert.match(stderr, /bad is there\nhookline: ".+" refused the commit/);
}

export interface Branches {
  what: string;
  /** On every branch. */
  base: Readonly<Record<string, string>>;
  /** On the branch with a guard. */
  guarded: Readonly<Record<string, string>>;
}
export const kinds: Readonly<Record<"script" | "own" | "shared", Branches>> = {
  script: {
    what: "a pre-commit script",
    base: { ".hookline/hooks.json": '{"hooks":{}}' },
    guarded: { [script]: refusing },
  },
  own: {
    what: "a guard in a file of its own",
    base: { [settings]: '{"permissions":{}}' },
    guarded: { ".hookline/hooks.json": guard, [settings]: '{"permissions":{"allow":[]}}' },
  },
  shared: {
    what: "a guard in a file that every branch has",
    base: { [settings]: "{}" },
    guarded: { [settings]: guard },
  },
};

/** Installed on the branch `guarded`, which is checked out. */
export function branches(self: Scratch, { base, guarded }: Branches): void {
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

/** @param times that the branches are changed */
export function askedAfterCommits(self: Scratch, kind: Branches, times: number): void {
  branches(self, kind);
  assertGuarded(self);
  for (let time = 0; time < times; time++) {
    self.mustGit(["checkout", "--quiet", "main"]);
    const { code, stderr } = self.commit();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(isStub(self.read(place)));
    assert.match(self.read(place), /^for_each_noted\(\) \{ for_each_of "\$1"; \}$/m, "main has nothing to ask about");
    self.mustGit(["checkout", "--quiet", "guarded"]);
    assertGuarded(self);
  }
}

export function askedAfterSession(self: Scratch, kind: Branches): void {
  branches(self, kind);
  self.mustGit(["checkout", "--quiet", "main"]);
  beginSession(self);
  assert.equal(self.commit().code, 0);
  self.mustGit(["checkout", "--quiet", "guarded"]);
  assertGuarded(self);
}
