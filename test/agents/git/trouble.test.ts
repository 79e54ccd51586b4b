import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import test from "node:test";
import { hook, installed, scratch, script } from "./scratch.ts";
import { breaks, commits, endsLater, fifo, passesWithout, refusesInLastForm, unusable } from "./troubles.ts";

test("a refusal whose output is not read refuses the commit all the same", async (t) => {
  const self = scratch(t, { ownNode: true });
  const go = fifo(t, self, "go");
  self.write(hook, script({ type: "pre-commit" }, `read -r word < '${go.path}'; echo bad; exit 3`), 0o755);
  installed(self);
  self.mustGit(["add", "--all"]);
  const child = spawn("git", ["commit", "--quiet", "--message", "unread"], {
    cwd: self.top,
    env: self.environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  child.stderr.destroy();
  await once(child.stderr, "close");
  go.write();
  assert.notEqual((await ended)[0], 0);
  assert.equal(commits(self), 0);
});

test("a store that cannot be used refuses no commit, and is reported", (t) => passesWithout(t, unusable.folder));

test(`[E51] ${breaks.script.what} keeps refusing commits in its last valid form, and git continues to run Hookline`, (t) =>
  refusesInLastForm(t, breaks.script, { few: true }));

test("what git starts does not wait for a hook in the background, which ends after it", (t) => {
  const self = scratch(t);
  return endsLater(t, self, () => self.hookline(["git", "run", "pre-commit"]));
});
