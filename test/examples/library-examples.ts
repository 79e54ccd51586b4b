/** The examples of docs/library.md, run as a reader would run them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test from "node:test";

export const folder: string = join(import.meta.dirname, "..", "..", "examples", "library");

/** What each prints; every example has to be here. */
const printed: Readonly<Record<string, string>> = {
  "conversation.ts": "user - fix the bug\nhook 1 run the tests\n",
  "guard.ts": "deny - push without --force\n",
  "rewrite.ts":
    "{\n  updatedInput: { command: 'npm test --silent' },\n  context: [ 'tests run silently' ]\n}\n" +
    "quiet tests run the tool is Bash, which the matcher names\n",
  "session.ts": "run the tests before you finish {}\ntests-first true false\n",
  "store.ts": "tell the team queued\ntell the team completed\n",
};

/** The one that npm test runs. */
export const first = "guard.ts";

/** A test of the example of this name. */
export function tryExample(name: string): void {
  test(`the example ${name} does what its comments say`, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, name)], { encoding: "utf8" });
    assert.equal(stderr, "");
    assert.equal(stdout, printed[name]);
    assert.equal(status, 0);
  });
}
