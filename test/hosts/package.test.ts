/** The package that people install: what it brings along, and that it is the same whoever builds it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { bin } from "../program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const root = join(import.meta.dirname, "..", "..");

test("a name of wide letters stands in its column also where no library is near: the bundle has what counts them", (t) => {
  const folder = temporaryFolder(t);
  for (const name of ["bin", "dist", "package.json"])
    cpSync(join(dirname(dirname(bin)), name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, ".hookline"));
  writeFileSync(
    join(folder, ".hookline", "hooks.json"),
    JSON.stringify({ hooks: { Stop: [named("检查"), named("abcd")] } }),
  );
  const said = execFileSync(process.execPath, [join(folder, "bin", "hookline.js"), "list"], {
    cwd: folder,
    encoding: "utf8",
    env: { HOME: folder, PATH: process.env.PATH },
  });
  assert.match(said, /^检查 {2}Stop .*\n(?:.*\n)*abcd {2}Stop /m);
});

const named = (name: string) => ({ hooks: [{ type: "command", command: "true", name }] });

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

test("a library that a part of the hot command loads by its own name has in the bundle what is taken from it there", async () => {
  const bundled = join(dirname(dirname(bin)), "dist", "on-demand");
  const taken = globSync("src/**/*.ts", { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/const \{ ([^}]+) \} = await import\("([^."][^"]*)"\)/g)].map(
      ([, names = "", library = ""]) => ({
        names: names.split(",").map((name) => name.trim()),
        library,
      }),
    );
  });
  assert.ok(taken.length > 0);
  for (const { names, library } of taken) {
    const file = join(bundled, `${library.replaceAll(/[@/]+/g, "-")}.js`);
    if (!existsSync(file)) continue; // bundled with what loads it
    const found = await import(file);
    for (const name of names) assert.ok(name in found, `${name} of ${library}: give it a file of ours that imports it`);
  }
});
