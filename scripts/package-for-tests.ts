/** The package as people install it, built once for each state of the sources: what tests start instead of the sources. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const ownSources = dirname(import.meta.dirname);

/**
 * Returns its folder. Two that build at the same time do not disturb each other: the first that is ready is kept.
 *
 * @param trust whether it asks a person for trust, as the package does that people install; most tests are about other things
 * @param root the folder of other sources than these
 */
export function packageForTests(trust: "asked" | "given" = "given", root: string = ownSources): string {
  const builds = join(ownSources, "node_modules", ".cache", "hookline-tests");
  const folder = join(builds, `${keyOf(root)}${trust === "asked" ? "-asking" : ""}`);
  if (existsSync(folder)) return folder;
  const asking = trust === "given" ? packageForTests("asked", root) : undefined;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    for (const name of ["bin", "package.json"]) cpSync(join(root, name), join(unfinished, name), { recursive: true });
    for (const name of ["docs", "examples", "native", "packs", "schema"])
      symlinkSync(realpathSync(join(root, name)), join(unfinished, name));
    if (asking === undefined) build(root, join(unfinished, "dist"));
    else trustAll(join(asking, "dist"), join(unfinished, "dist"));
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function build(root: string, place: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts", "build.ts"), place], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the package for the tests could not be built:\n${stderr}`);
}

/** Another build would take a third of a minute for one word. */
function trustAll(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  const asks = /\btrustsAll = [^;]*;/g;
  let found = 0;
  for (const file of globSync("**/*.{js,cjs}", { cwd: to })) {
    const text = readFileSync(join(to, file), "utf8");
    const given = text.replaceAll(asks, "trustsAll = true;");
    if (given === text) continue;
    writeFileSync(join(to, file), given);
    found += 1;
  }
  if (found === 0) throw new Error("the build no longer says whether it asks for trust: src/hosts/compose/trust.ts");
}

/** Removes those of the days before: later ones may still be run by other tests. */
export function removeOldPackages(kept: string): void {
  const day = 24 * 3_600_000;
  for (const folder of globSync(join(dirname(kept), "*")))
    if (folder !== kept && statSync(folder).mtimeMs < Date.now() - day)
      rmSync(folder, { recursive: true, force: true });
}

const keys = new Map<string, string>();

/** All of it is read once in a process: that takes a tenth of a second. */
function keyOf(root: string): string {
  const known = keys.get(root) ?? sumOf(root);
  keys.set(root, known);
  return known;
}

function sumOf(root: string): string {
  const patterns = [
    "{src,testing}/**/*.{ts,js,sh,json}",
    "examples/demo/*.ts",
    "bin/*.js",
    "dashboard/**/*.*",
    "docs/**/*.md",
    "scripts/build*.ts",
    "scripts/site/**/*.*",
    "package*.json",
  ];
  const sum = createHash("sha256");
  for (const file of patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort())
    sum
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  return sum.digest("hex").slice(0, 16);
}
