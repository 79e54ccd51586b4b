/**
 * `npm run test:postgres`: the tests in test/postgres, each with a Postgres of its own on loopback, which ends with it. Without an
 * installed Postgres it says so and is no failure. `--long` also takes the long ones; other words are files to run instead of all.
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { findPostgres } from "../test/postgres/cluster.ts";

process.exitCode = main(process.argv.slice(2));

function main(words: readonly string[]): number {
  const found = findPostgres();
  if ("missing" in found) {
    console.log(`test:postgres: skipped — ${found.missing}`);
    return 0;
  }
  const given = words.filter((word) => word !== "--long");
  const files = given.length > 0 ? given : globSync("test/postgres/**/*.test.ts");
  const env = { ...process.env, ...(words.includes("--long") && { HOOKLINE_TEST_LONG: "1" }) };
  const tests = [join(import.meta.dirname, "test.ts"), ...files];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {}); // they are ended by themselves
  return spawnSync(process.execPath, tests, { stdio: "inherit", env }).status ?? 1;
}
