/**
 * node scripts/build-native.ts [FOLDER]: compiles the programs of native/ for each processor that a compiler is found for. It
 * is done by hand when a source changes, and what it makes is committed: who installs Hookline needs no compiler.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** System and processor as Node calls them → the compilers to try, the first that is there. */
const compilers: Readonly<Record<string, readonly string[]>> = {
  "linux-x64": ["x86_64-linux-gnu-gcc", ...(process.arch === "x64" ? ["gcc"] : [])],
  "linux-arm64": ["aarch64-linux-gnu-gcc", ...(process.arch === "arm64" ? ["gcc"] : [])],
};

/** No C library, no start files, nothing that names the time or the place of the build. */
const words = [
  ...["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Os"],
  ...["-static", "-nostdlib", "-nostartfiles", "-ffreestanding", "-fno-pie", "-no-pie"],
  ...["-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-tree-loop-distribute-patterns"],
  ...["-Wl,--build-id=none,-z,noexecstack,-z,norelro", "-s"],
];

const programs = ["spawner", "client"];
const native = join(import.meta.dirname, "..", "native");
const [folder = native] = process.argv.slice(2);
const isThere = (compiler: string): boolean => spawnSync(compiler, ["--version"]).status === 0;

for (const [system, names] of Object.entries(compilers)) {
  const compiler = names.find(isThere);
  if (compiler === undefined) {
    console.log(`${system}: none of ${names.join(", ")} is here, so it stays as it is`);
    continue;
  }
  mkdirSync(join(folder, system), { recursive: true });
  for (const program of programs) {
    const file = join(folder, system, `hookline-${program}`);
    const { status, stderr } = spawnSync(compiler, [...words, join(native, `${program}.c`), "-o", file], {
      encoding: "utf8",
    });
    if (status !== 0) {
      console.log(`${system}: ${compiler} failed: ${stderr}`);
      process.exitCode = 1;
      continue;
    }
    chmodSync(file, 0o755);
    console.log(`${system}: ${compiler} wrote ${file}`);
  }
}
