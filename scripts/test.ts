/**
 * npm test: what one runs before each commit, and needs no foreign program. npm run test:slow: what takes longer, in files called
 * `*.slow.test.ts`. More processes than cores run at a time, because many tests wait.
 *
 * Words: files to run instead of all; `--name TEXT` runs the tests of that name alone; `--verbose` prints each test as it ends;
 * `--slowest` lists the 20 files that took longest. With HOOKLINE_TEST_AGAIN=1 what has failed is run once more, alone, and named as
 * not steady where it passes then: .ci/run asks for that.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { folderOfRun } from "./test/folder.ts";
import { type Group, groupsOf } from "./test/groups.ts";
import { perform } from "./test/perform.ts";
import { createScreen, type Failure } from "./test/screen.ts";
import { measureUsage } from "./test/usage.ts";

const flag = { type: "boolean", default: false } as const;
const { values: wish, positionals: given } = parseArgs({
  options: { name: { type: "string" }, slow: flag, verbose: flag, slowest: flag },
  allowPositionals: true,
});
const root = dirname(import.meta.dirname);
const cache = join(root, "node_modules", ".cache");
const timesFile = join(cache, "hookline-test-times.json");

const usage = measureUsage();
const times = new Map<string, number>(Object.entries(readTimes()));
const files = given.length > 0 ? given.map((file) => relative(root, join(process.cwd(), file))) : ofSuite(wish.slow);
const missing = files.filter((file) => !existsSync(join(root, file)));
if (missing.length > 0) {
  console.error(`no such file of tests: ${missing.join(", ")}`);
  process.exit(2);
}
const groups = groupsOf(files, times);
/** Workers of a shared store lose their runs when they are silent for seconds, so fewer of them share the machine. */
const perCore = groups.some(({ room }) => room === "postgres") ? 3 : 4;
const atATime = Math.min(groups.length, perCore * availableParallelism());
const what = given.length > 0 ? "The tests named" : wish.slow ? "The slow tests" : "The tests of each commit";
const screen = createScreen(groups, { root, what });
screen.begin(atATime);
process.chdir(root);

// Before people have read that, nothing else is loaded.
const { packageForTests, removeOldPackages } = await import("./package-for-tests.ts");
const { pathWithoutAgents } = await import("./test/path-without-agents.ts");
const built = packageForTests();
removeOldPackages(built);
mkdirSync(cache, { recursive: true });
const folder = folderOfRun();
const environment = {
  ...process.env,
  // npm does so too
  PATH: [join(root, "node_modules", ".bin"), pathWithoutAgents(process.env.PATH ?? "", join(folder, "path"))].join(
    delimiter,
  ),
  TMPDIR: folder,
  HOOKLINE_TEST_PACKAGE: built,
  NODE_COMPILE_CACHE: join(cache, "hookline-test-code"), // the sources are compiled once for all processes
};
const running = new Set<ChildProcess>();
const waiting = [...groups];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    waiting.length = 0;
    for (const child of running) child.kill("SIGKILL");
    const remove = (): void => {
      rmSync(folder, { recursive: true, force: true }); // it may be in memory
      process.exit(1);
    };
    setTimeout(remove, 1_000); // programs that the tests have started write for another moment
  });
const took = new Map<string, number>();
try {
  await Promise.all(Array.from({ length: atATime }, work));
  if (process.env.HOOKLINE_TEST_AGAIN === "1")
    for (const failure of screen.failures()) if (await passesAlone(failure)) screen.passedAlone(failure);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
// read anew: others may have run beside this one
writeFileSync(timesFile, JSON.stringify({ ...readTimes(), ...Object.fromEntries(took) }, null, 1));
if (wish.slowest) {
  const slowest = [...took].sort(([, left], [, right]) => right - left).slice(0, 20);
  console.log("\nSlowest files:");
  for (const [file, milliseconds] of slowest) console.log(`${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`);
}
const { passed, failed } = screen.end(usage());
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let group = waiting.shift(); group; group = waiting.shift()) await run(group);
}

async function run(group: Group): Promise<void> {
  const began = performance.now();
  const words = wish.name === undefined ? [] : [`--test-name-pattern=${exactly(wish.name)}`];
  let own: ChildProcess | undefined;
  const performed = await perform(
    group,
    { environment, words, verbose: wish.verbose },
    {
      begun(child) {
        own = child;
        running.add(child);
      },
      told(one) {
        if (one.milliseconds !== undefined && wish.name === undefined) {
          const path = relative(root, one.file);
          took.set(path, (took.get(path) ?? 0) + one.milliseconds);
        }
        screen.test(group, one);
      },
    },
  );
  if (own) running.delete(own);
  screen.ended(group, performed, performance.now() - began);
}

async function passesAlone({ files, name }: Failure): Promise<boolean> {
  const words = name === undefined ? [] : [`--test-name-pattern=${exactly(name)}`];
  const counted = { passed: 0, failed: 0, skipped: 0, suite: 0 };
  const { ended } = await perform(
    { room: "", files: [...files], expected: 0 },
    { environment, words, verbose: wish.verbose },
    { begun: (child) => running.add(child), told: ({ outcome }) => (counted[outcome] += 1) },
  );
  return ended === undefined && counted.failed === 0 && counted.passed > 0;
}

/** Node takes a pattern, and adds the names of the suites around a test. */
function exactly(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** Real agents, a browser or Postgres: other commands run those. */
function ofSuite(slow: boolean): string[] {
  return globSync("test/**/*.test.ts", { cwd: root }).filter(
    (file) =>
      !/^test\/(real-agents|browser|postgres)\//.test(file) &&
      !file.includes("node_modules") &&
      file.endsWith(".slow.test.ts") === slow,
  );
}

function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(timesFile, "utf8")) as Record<string, number>; // written above
  } catch {
    return {}; // the first run
  }
}
