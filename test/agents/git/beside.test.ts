import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { beginSession, hook, mustRun, place, refusing, scratch } from "./scratch.ts";

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
