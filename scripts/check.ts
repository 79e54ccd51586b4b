/** npm run check: everything that can be said about the code without running it. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const bin = (name: string): string => join("node_modules", ".bin", name);
const own = (name: string): string[] => [process.execPath, `scripts/${name}.ts`];

const checks: readonly { name: string; command: readonly string[] }[] = [
  { name: "types", command: [bin("tsc"), "-p", "."] },
  { name: "types of the dashboard", command: [bin("tsc"), "-p", "dashboard"] },
  { name: "types of the site", command: [bin("tsc"), "-p", "scripts/site/browser"] },
  { name: "lint and format", command: [bin("biome"), "ci", "."] },
  { name: "who imports whom", command: own("check-imports") },
  { name: "the hot path", command: own("check-hot-path") },
  { name: "who writes to a terminal", command: own("check-writers") },
  { name: "who reads files", command: own("check-readers") },
  { name: "programs for shells", command: own("check-shell") },
  { name: "documentation", command: own("check-docs") },
  { name: "the package for programs", command: own("check-package") },
];

let failed = 0;
for (const { name, command } of checks) {
  const [program = "", ...words] = command;
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (status === 0) continue;
  failed += 1;
  console.log(`${stdout}${stderr}`);
}
console.log(`\n${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
