/** The same with all that the others refuse or let pass, and in whatever order they were installed. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { installFramework, installHusky, installLefthook, shim } from "./managers.ts";
import { beginSession, hook, hooksIn, mustRun, place, refusing, scratch } from "./scratch.ts";

test("[E45, E46] with husky both run, and either may refuse, and Hookline comes back after husky has written its folder again", (t) => {
  const self = scratch(t);

  installHusky(self);
  self.write(".husky/pre-commit", "echo husky was here\n[ ! -e worse ]\n");
  self.write(hook, refusing, 0o755);
  assert.match(mustRun(self, ["git", "install"]), /"prepare": "husky && hookline git install"/);
  assert.deepEqual(hooksIn(join(self.top, ".husky/_")), ["pre-commit", "pre-commit.original"]);
  assert.equal(self.read(".husky/pre-commit"), "echo husky was here\n[ ! -e worse ]\n");
  const both = (): void => {
    self.write("bad", "");
    const refused = self.commit();
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /^husky was here\nbad is there\nhookline: "Type check" refused/);
    rmSync(join(self.top, "bad"));
    self.write("worse", "");
    const worse = self.commit();
    assert.notEqual(worse.code, 0);
    assert.match(worse.stderr, /^husky was here\nhusky - pre-commit script failed \(code 1\)\n$/);
    rmSync(join(self.top, "worse"));
    assert.equal(self.commit().code, 0);
  };
  both();
  installHusky(self);
  assert.equal(self.read(".husky/_/pre-commit"), shim);
  beginSession(self);
  assert.ok(isStub(self.read(".husky/_/pre-commit")));
  assert.deepEqual(hooksIn(join(self.top, ".husky/_")), ["pre-commit", "pre-commit.original"]);
  both();
  mustRun(self, ["git", "uninstall"]);
  assert.deepEqual(hooksIn(join(self.top, ".husky/_")), ["pre-commit"]);
  assert.equal(self.read(".husky/_/pre-commit"), shim);
});

test("the pre-commit framework, installed again over ours, does not go round in a circle", (t) => {
  const self = scratch(t);
  installFramework(self);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  assert.equal(self.commit().stderr, "the framework ran\n");
  installFramework(self);
  self.write("bad", "");
  assert.notEqual(self.commit().code, 0);
  rmSync(join(self.top, "bad"));
  beginSession(self);
  assert.equal(self.commit().stderr, "the framework ran\n");
  self.write("bad", "");
  assert.match(self.commit().stderr, /^bad is there\nhookline: "Type check" refused/);
});

test("[E46] with the pre-commit framework both run once, whichever was installed first", (t) => {
  const self = scratch(t);
  self.write(place, "#!/bin/sh\necho the first hook\n", 0o755);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  installFramework(self);
  assert.match(
    mustRun(self, ["git", "install"]),
    /^nothing to do: git already runs Hookline before each commit \(\.git\/hooks\/pre-commit\.legacy\)/,
  );
  assert.equal(self.commit().stderr, "the first hook\nthe framework ran\n");
  self.write("bad", "");
  assert.match(self.commit().stderr, /^the first hook\nbad is there\nhookline: "Type check" refused the commit .*\n$/);
  mustRun(self, ["git", "uninstall"]);
  assert.equal(self.commit().stderr, "the first hook\nthe framework ran\n");
});

test("lefthook that puts itself in place during a commit is followed at once", (t) => {
  const self = scratch(t);
  installLefthook(self);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  const kept = `${place}.original`;
  const moving = `mv ${place} ${place}.old\ncp ${kept} ${place}\n`;
  self.write(
    kept,
    self.read(kept).replace("echo lefthook ran\n", `[ -e ${place}.old ] || { ${moving}}\necho lefthook ran\n`),
    0o755,
  );
  self.write("bad", "");
  assert.match(self.commit().stderr, /^lefthook ran\nbad is there\nhookline: "Type check" refused/);
  assert.ok(isStub(self.read(place)));
  assert.deepEqual(hooksIn(join(self.top, ".git/hooks")), ["pre-commit", "pre-commit.original"]);
});

test("[E46] with lefthook both run, also after lefthook has moved ours away", (t) => {
  const self = scratch(t);
  installLefthook(self);
  self.write(hook, refusing, 0o755);
  mustRun(self, ["git", "install"]);
  self.write("bad", "");
  assert.match(self.commit().stderr, /^lefthook ran\nbad is there\n/);
  installLefthook(self);
  assert.deepEqual(hooksIn(join(self.top, ".git/hooks")), ["pre-commit", "pre-commit.old", "pre-commit.original"]);
  assert.equal(self.commit().code, 0, "lefthook alone is asked");
  beginSession(self);
  assert.deepEqual(hooksIn(join(self.top, ".git/hooks")), ["pre-commit", "pre-commit.original"]);
  self.write("bad", "again");
  assert.match(self.commit().stderr, /^lefthook ran\nbad is there\n/);
  mustRun(self, ["git", "uninstall"]);
  assert.deepEqual(hooksIn(join(self.top, ".git/hooks")), ["pre-commit"]);
  assert.match(self.read(place), /lefthook ran/);
});
