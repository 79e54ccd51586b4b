/** Where the pre-commit of Python is, for the benchmark of commits: on the path, or installed for it alone where that works. */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isQuick } from "./measure.ts";

const version = ">=4,<5";
const folder = join(import.meta.dirname, "node_modules", ".pre-commit");
const seconds = 120;

/** The program; nothing where there is no Python, no package index or no time. */
export function findPreCommit(): string | undefined {
  if (works("pre-commit")) return "pre-commit";
  const program = join(folder, "bin", "pre-commit");
  if (existsSync(program)) return program;
  if (isQuick) return undefined;
  console.error("installing pre-commit into bench/node_modules (once)");
  const made = succeeds("python3", ["-m", "venv", folder]);
  const words = ["install", "--quiet", "--disable-pip-version-check", `pre-commit${version}`];
  if (made && succeeds(join(folder, "bin", "pip"), words) && works(program)) return program;
  rmSync(folder, { recursive: true, force: true });
  return undefined;
}

const works = (program: string): boolean => succeeds(program, ["--version"]);
const succeeds = (program: string, words: readonly string[]): boolean =>
  spawnSync(program, words, { stdio: "ignore", timeout: seconds * 1000 }).status === 0;
