import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { hook, hooksIn } from "./managers.ts";
import { beginSession, mustRun, place, refusing, type Scratch, scratch } from "./scratch.ts";

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
