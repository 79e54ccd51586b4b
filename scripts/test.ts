/**
 * npm test: everything that needs no foreign program. The files of one folder share processes, because to load the sources
 * takes longer than most files do; more processes than cores run at a time, because many tests wait.
 *
 * Words: files to run instead of all; `--slowest` lists the 20 files that took longest.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { packageForTests, removeOldPackages } from "./package-for-tests.ts";
import { pathWithoutAgents } from "./path-without-agents.ts";
import type { Told } from "./test-reporter.ts";

interface Group {
  files: string[];
  /** Milliseconds that it took last time. */
  expected: number;
}

/** A process for at most so much: the rest of a folder goes to another. */
const longest = { files: 12, milliseconds: 20_000 };
const unknownFile = 1_000;

const words = process.argv.slice(2);
const given = words.filter((word) => word !== "--slowest");
const root = dirname(import.meta.dirname);
const cache = join(root, "node_modules", ".cache");
const timesFile = join(cache, "hookline-test-times.json");

const built = packageForTests();
removeOldPackages(built);
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(process.env.TMPDIR ?? memoryFolder() ?? tmpdir(), "hookline-test-"));
chmodSync(folder, 0o1777); // some tests are other users for a while
const environment = {
  ...process.env,
  // npm does so too
  PATH: [join(root, "node_modules", ".bin"), pathWithoutAgents(process.env.PATH ?? "", join(folder, "path"))].join(
    delimiter,
  ),
  TMPDIR: folder, // what a test leaves behind goes with it
  HOOKLINE_TEST_PACKAGE: built,
  NODE_COMPILE_CACHE: join(cache, "hookline-test-code"),
};

const times = new Map<string, number>(Object.entries(readTimes()));
const files = given.length > 0 ? given : globSync("test/**/*.test.ts").filter((file) => !needsMore(file));
const groups = groupsOf(files);
const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const took = new Map<string, number>();
const running = new Set<ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    groups.length = 0;
    for (const child of running) child.kill("SIGKILL");
    const remove = (): void => {
      rmSync(folder, { recursive: true, force: true }); // it may be in memory
      process.exit(1);
    };
    setTimeout(remove, 1_000); // programs that the tests have started write for another moment
  });
try {
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, work));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
if (given.length === 0) writeFileSync(timesFile, JSON.stringify(Object.fromEntries(took), null, 1));

if (words.includes("--slowest")) {
  const slowest = [...took].sort(([, left], [, right]) => right - left).slice(0, 20);
  console.log("\nSlowest files:");
  for (const [file, milliseconds] of slowest) console.log(`${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`);
}
if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}`);
console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ""}`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;

/** What took longest last time begins first, so that it is not what all others wait for. */
function groupsOf(all: readonly string[]): Group[] {
  const made: Group[] = [];
  const open = new Map<string, Group>();
  for (const file of [...all].sort()) {
    const expected = times.get(file) ?? unknownFile;
    let group = open.get(dirname(file));
    if (!group || group.files.length >= longest.files || group.expected + expected > longest.milliseconds) {
      group = { files: [], expected: 0 };
      open.set(dirname(file), group);
      made.push(group);
    }
    group.files.push(file);
    group.expected += expected;
  }
  return made.sort((left, right) => right.expected - left.expected);
}

async function work(): Promise<void> {
  for (let group = groups.shift(); group; group = groups.shift()) await run(group);
}

/** What it prints is printed when it has ended: lines of several processes do not mix. */
function run(group: Group): Promise<void> {
  const report = join(folder, String(groups.length));
  const flags = [
    "--import=data:text/javascript,globalThis.TRUSTS_ALL=true", // most tests are about other things than trust
    "--test",
    "--test-isolation=none",
    "--test-force-exit", // a test that failed may have left something open
    "--test-timeout=900000",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${join(import.meta.dirname, "test-reporter.ts")}`,
    `--test-reporter-destination=${report}`,
  ];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, ...group.files], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
    child.on("close", (code, signal) => {
      running.delete(child);
      process.stdout.write(text);
      count(group, readReport(report), code === 0 ? undefined : (signal ?? `exit ${code}`));
      resolve();
    });
  });
}

/** Without it the process has told of no test, which is a failure. */
function readReport(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function count(group: Group, report: string, ended: string | undefined): void {
  const counted = { passed: 0, failed: 0, skipped: 0, suite: 0 };
  for (const line of report.split("\n").filter(Boolean)) {
    const { outcome, file, name, milliseconds } = JSON.parse(line) as Told; // written by our reporter
    counted[outcome] += 1;
    const path = relative(root, file);
    if (milliseconds !== undefined) took.set(path, (took.get(path) ?? 0) + milliseconds);
    if (outcome === "failed") failures.push(`${path}: ${name}`);
  }
  if (report === "" || (ended !== undefined && counted.failed === 0)) {
    counted.failed += 1;
    failures.push(`${group.files.join(" ")}: the process of these files ended early (${ended ?? "no report"})`);
  }
  total.passed += counted.passed;
  total.failed += counted.failed;
  total.skipped += counted.skipped;
}

/** Real agents, a browser or Postgres: other commands run those. */
function needsMore(file: string): boolean {
  return /^test\/(real-agents|browser|postgres)\/|\.slow\.test\.ts$/.test(file) || file.includes("node_modules");
}

/** A file system in memory: the tests write and flush so much that a disk takes two to four times as long. */
function memoryFolder(): string | undefined {
  const place = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < 2 ** 30) return undefined; // containers may have 64 megabytes there
    const trial = mkdtempSync(join(place, "hookline-test-"));
    try {
      writeFileSync(join(trial, "program"), "#!/bin/sh\n", { mode: 0o700 });
      return spawnSync(join(trial, "program")).status === 0 ? place : undefined; // it may be mounted without execution
    } finally {
      rmSync(trial, { recursive: true });
    }
  } catch {
    return undefined; // another system, or not ours to write to
  }
}

function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8")) as Record<string, number>; // written below
  } catch {
    return {}; // the first run
  }
}
