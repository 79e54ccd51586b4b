/** The package as people install it, built once for each state of the sources: what tests start instead of the sources. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);

/** Returns its folder. Two that build at the same time do not disturb each other: the first that is ready is kept. */
export function packageForTests(): string {
  const builds = join(root, "node_modules", ".cache", "hookline-tests");
  const folder = join(builds, keyOfSources());
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const name of ["bin", "native", "package.json", "schema"])
    cpSync(join(root, name), join(unfinished, name), { recursive: true });
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, "scripts", "build.ts"), join(unfinished, "dist")],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) {
    rmSync(unfinished, { recursive: true });
    throw new Error(`the package for the tests could not be built:\n${stderr}`);
  }
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Removes the packages of earlier states. Not while other tests may be running them. */
export function removeEarlierPackages(kept: string): void {
  for (const folder of globSync(join(dirname(kept), "*"))) if (folder !== kept) rmSync(folder, { recursive: true });
}

function keyOfSources(): string {
  const files = ["src/**/*.ts", "bin/*.js", "native/**/*", "schema/*", "scripts/build.ts", "package*.json"].flatMap(
    (pattern) => globSync(pattern, { cwd: root }),
  );
  const sum = createHash("sha256");
  for (const file of files.sort())
    if (/\.\w+$|spawner$/.test(file))
      sum
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update("\0");
  return sum.digest("hex").slice(0, 16);
}
