/** Our programs for shells: each is one that its shell can read. */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";

const programs = globSync("src/**/*.sh").sort();
if (programs.length === 0) throw new Error("src holds no program for shells any more: remove this check");

const complaints = programs.flatMap((file) => {
  const shell = readFileSync(file, "utf8").startsWith("#!__BASH__") ? "bash" : "sh";
  const { status, stderr, error } = spawnSync(shell, ["-n", file], { encoding: "utf8" });
  return status === 0 ? [] : [error?.message ?? stderr];
});

if (complaints.length > 0) console.error(complaints.join("\n"));
process.exitCode = complaints.length > 0 ? 1 : 0;
