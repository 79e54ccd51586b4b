/** The same of each signal, of each store that is of no use, and of each way in which a guard breaks; and a hook that git does not wait for. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { isStub } from "../../../src/agents/git/stub.ts";
import { beginSession, guarding, hook, installed, place, scratch, script } from "./scratch.ts";
import {
  breaks,
  commits,
  endsAtSignal,
  endsLater,
  fifo,
  passesWithout,
  refusesInLastForm,
  unusable,
} from "./troubles.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  test(`${signal} ends the script that is running, and is reported with its name`, (t) => endsAtSignal(t, signal));

test("a store that cannot be used and a wrong setting refuse no commit, and are reported", (t) => {
  for (const make of Object.values(unusable)) passesWithout(t, make);
});

for (const one of Object.values(breaks))
  test(`[E51] ${one.what} keeps refusing commits in its last valid form, and git continues to run Hookline`, (t) =>
    refusesInLastForm(t, one));

test("[E51] git continues to run Hookline while a hook file is broken, even if nothing shows what it held", (t) => {
  const self = scratch(t);
  self.write(".hookline/hooks.json", guarding);
  installed(self);
  writeFileSync(join(self.top, ".hookline/hooks.json"), guarding.slice(0, -9));
  beginSession(self);
  assert.ok(isStub(self.read(place)));
  self.write(".hookline/hooks.json", guarding);
  assert.match(self.commit().stderr, /refused by guard/);
});

test("a hook that git does not wait for delays no commit, and ends after it", (t) => {
  const self = scratch(t, { ownNode: true });
  return endsLater(t, self, () => {
    installed(self);
    return self.commit();
  });
});

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

test("what git starts does not wait for a hook in the background, which ends after it", (t) => {
  const self = scratch(t);
  return endsLater(t, self, () => self.hookline(["git", "run", "pre-commit"]));
});
