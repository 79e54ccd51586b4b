/** npm test: everything that needs no foreign program. Pure parts share one process, the rest gets a process per file. */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

const pureFolders = ["test/core", "test/conditions", "test/dialects"];
const wanted = process.argv.slice(2);
const all =
  wanted.length > 0
    ? wanted
    : globSync("test/**/*.test.ts").filter(
        (file) => !file.startsWith("test/agents/") && !file.includes("node_modules"),
      );
const isPure = (file: string): boolean => pureFolders.some((folder) => file.startsWith(`${folder}/`));

const groups = [
  { files: all.filter(isPure).sort(), flags: ["--test-isolation=none"] },
  { files: all.filter((file) => !isPure(file)).sort(), flags: ["--test-concurrency=2"] },
];

const total: Count = { passed: 0, failed: 0, skipped: 0 };
let broken = false;
for (const { files, flags } of groups) {
  if (files.length === 0) continue;
  const { count, code } = await run([...flags, ...files]);
  total.passed += count.passed;
  total.failed += count.failed;
  total.skipped += count.skipped;
  if (code !== 0 && count.failed === 0) total.failed += 1; // the runner itself broke
  broken ||= code !== 0;
}
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exitCode = broken || total.passed === 0 ? 1 : 0;

function run(words: readonly string[]): Promise<{ count: Count; code: number }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--test", "--test-reporter=spec", "--test-timeout=120000", ...words], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      process.stdout.write(chunk);
    });
    child.on("close", (code) => {
      const number = (word: string): number => Number(new RegExp(`^ℹ ${word} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
      resolve({
        count: { passed: number("pass"), failed: number("fail") + number("cancelled"), skipped: number("skipped") },
        code: code ?? 1,
      });
    });
  });
}
