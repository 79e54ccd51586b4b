import assert from "node:assert/strict";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { beginSession, place, refusing, type Scratch, scratch } from "./scratch.ts";

const hook = ".hookline/hooks/check.sh";

function mustRun({ hookline }: Scratch, words: readonly string[]): string {
  const { code, stdout, stderr } = hookline(words);
  assert.equal(code, 0, stderr);
  return stdout;
}

const hooksIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith("pre-commit") && !name.endsWith(".sample"))
    .sort();

const shim = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"';
/** What husky 9 does when it is installed: its own folder is made anew, and each shim goes by its name and place. */
function installHusky(self: Scratch): void {
  self.mustGit(["config", "core.hooksPath", ".husky/_"]);
  self.write(".husky/_/.gitignore", "*");
  self.write(
    ".husky/_/h",
    [
      "#!/usr/bin/env sh",
      'name=$(basename "$0")',
      'own=$(dirname "$(dirname "$0")")/$name',
      '[ ! -f "$own" ] && exit 0',
      'sh -e "$own" "$@"',
      "code=$?",
      '[ $code != 0 ] && echo "husky - $name script failed (code $code)"',
      "exit $code",
      "",
    ].join("\n"),
  );
  for (const name of ["pre-commit", "commit-msg", "post-commit"]) self.write(`.husky/_/${name}`, shim, 0o755);
}

test("[E45, E46] with husky both run, and Hookline comes back after husky has written its folder again", (t) => {
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

/** It finds its program by itself, and `lefthook install` moves what it does not know out of its way. */
function installLefthook(self: Scratch): void {
  const text = '#!/bin/sh\n\nif [ "$LEFTHOOK" = "0" ]; then\n  exit 0\nfi\n\necho lefthook ran\n[ ! -e worse ]\n';
  if (self.has(place) && self.read(place) !== text) renameSync(join(self.top, place), join(self.top, `${place}.old`));
  self.write(place, text, 0o755);
}

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

/** It keeps what it finds as pre-commit.legacy, and runs that before its own. */
function installFramework(self: Scratch): void {
  const text = [
    "#!/usr/bin/env bash",
    "# File generated by pre-commit: https://pre-commit.com",
    'HERE="$(cd "$(dirname "$0")" && pwd)"',
    'if [ -x "$HERE/pre-commit.legacy" ]; then "$HERE/pre-commit.legacy" "$@" || exit 1; fi',
    "echo the framework ran",
    "[ ! -e worse ]",
    "",
  ].join("\n");
  const isOwn = self.has(place) && self.read(place).includes("File generated by pre-commit");
  if (self.has(place) && !isOwn) renameSync(join(self.top, place), join(self.top, `${place}.legacy`));
  self.write(place, text, 0o755);
}

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

test("[E51] a session follows the scripts where a person has installed it, and nowhere else", (t) => {
  const self = scratch(t);
  self.write(hook, refusing, 0o755);
  beginSession(self);
  assert.ok(!self.has(place), "nobody has asked for it");
  rmSync(join(self.top, hook));
  mustRun(self, ["git", "install"]);
  beginSession(self);
  assert.ok(!self.has(place), "there is no script yet");
  self.write(hook, refusing, 0o755);
  beginSession(self);
  assert.ok(self.has(place), "there is one now");
  mustRun(self, ["git", "uninstall"]);
  beginSession(self);
  assert.ok(!self.has(place), "a person has taken it out");
});

test("the hook of discobot is reported, because its scripts would run twice", (t) => {
  const self = scratch(t);
  self.write(place, "#!/bin/bash\n# discobot:managed\n", 0o755);
  self.write(hook, refusing, 0o755);
  assert.match(
    mustRun(self, ["git", "install"]),
    /it is discobot's and runs the scripts of \.discobot\/hooks, too: they run twice/,
  );
});
