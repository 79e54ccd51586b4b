/** The package that people install: what it brings along, and that it is the same whoever builds it. */
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

test("[T27, G20] the package needs no other at run time, and runs nothing when it is installed", () => {
  const { dependencies = {}, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.deepEqual(dependencies, {});
  for (const name of ["preinstall", "install", "postinstall", "prepare"]) assert.equal(scripts[name], undefined, name);
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const entries: [string, { hasInstallScript?: true; integrity?: string; link?: true }][] = Object.entries(packages);
  // What development uses: pinned by its bytes, and only the bundler brings a script.
  const withScript = entries.filter(([, one]) => one.hasInstallScript).map(([path]) => path);
  assert.deepEqual(withScript, ["node_modules/esbuild"]);
  const unpinned = entries.filter(
    ([path, one]) => path.startsWith("node_modules/") && !one.link && one.integrity === undefined,
  );
  assert.deepEqual(unpinned, []);
});
