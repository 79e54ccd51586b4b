/** hookline test by the real command of all hooks that the repository holds. */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { runCommand } from "../../program.ts";
import { projectWith } from "./hook-tests-place.ts";

const root = join(import.meta.dirname, "..", "..", "..");

test("the hooks in examples/ and the guard pack pass their tests in a clone", (t) => {
  const { environment, folder } = projectWith(t, { "a.txt": "" });
  const { status, stdout } = runCommand(["test", join(root, "examples"), join(root, "packs")], {
    cwd: folder,
    environment,
  });
  assert.match(stdout, / 0 failed in 4 files\n$/);
  assert.equal(status, 0);
});
