/** Two builds of the package; package.test.ts has what is true of one. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../temporary-folder.ts";

const root = join(import.meta.dirname, "..", "..");

test("[T27, G20] two builds of one state of the sources are the same, byte for byte", (t) => {
  const [first, second] = ["first", "second"].map((name) => {
    const folder = join(temporaryFolder(t), name);
    execFileSync(process.execPath, [join("scripts", "build.ts"), folder], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    return globSync("**/*.{js,cjs}", { cwd: folder })
      .sort()
      .map((file) => [
        file,
        createHash("sha256")
          .update(readFileSync(join(folder, file)))
          .digest("hex"),
      ]);
  });
  assert.ok(first && first.length > 20);
  assert.deepEqual(second, first);
});
