/** The package as people get it, types included, in a folder of its own: what the checks of the published package look at. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { packageForTests } from "../package-for-tests.ts";

/** @returns the folder of the package; it lies where programs beside it import it by its name */
export function assemblePackage(): string {
  const place = resolve("node_modules", ".cache", "hookline-published");
  const folder = join(place, "node_modules", "hookline");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(folder, "dist"), { recursive: true });
  const built = packageForTests("asked");
  for (const name of ["package.json", "bin"]) cpSync(join(built, name), join(folder, name), { recursive: true });
  for (const name of ["index.js", "testing.js"]) cpSync(join(built, "dist", name), join(folder, "dist", name));
  symlinkSync(join(built, "dist", "chunks"), join(folder, "dist", "chunks"));
  const tsc = join("node_modules", ".bin", "tsc");
  const words = ["-p", "tsconfig.build.json", "--outDir", join(folder, "dist", "types")];
  const { status, stdout } = spawnSync(tsc, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the types could not be made:\n${stdout}`);
  return folder;
}
