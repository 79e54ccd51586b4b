/** Runs the files of one group in one process, and tells of each test as it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Group } from "./groups.ts";
import type { Told } from "./reporter.ts";

export interface Performed {
  /** Why the process itself is a failure; none where it ended as its tests say. */
  ended?: string;
  /** What the tests printed. */
  said: string;
}

/** @param begun gets the process as soon as there is one, to end it before its time */
export function perform(
  { files }: Group,
  how: { environment: NodeJS.ProcessEnv; words: readonly string[]; verbose: boolean },
  { begun, told }: { begun: (child: ChildProcess) => void; told: (one: Told) => void },
): Promise<Performed> {
  const flags = [
    "--import=data:text/javascript,globalThis.TRUSTS_ALL=true", // most tests are about other things than trust
    "--test",
    "--test-isolation=none",
    "--test-force-exit", // a test that failed may have left something open
    "--test-timeout=1800000", // what hangs ends at last; no test is so slow on a busy machine
    `--test-reporter=${join(import.meta.dirname, "reporter.ts")}`,
    "--test-reporter-destination=stdout",
    ...(how.verbose ? ["--test-reporter=spec", "--test-reporter-destination=stdout"] : []),
    ...how.words,
  ];
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, ...files], {
      env: how.environment,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    begun(child);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        if (how.verbose) process.stdout.write(chunk);
        else said += chunk;
      });
    const counted = { all: 0, failed: 0 };
    const reports = child.stdio[3];
    if (!reports || !("read" in reports)) throw new Error("the process of the tests has no third pipe");
    createInterface({ input: reports }).on("line", (line) => {
      const one = JSON.parse(line) as Told; // written by our reporter
      counted.all += 1;
      if (one.outcome === "failed") counted.failed += 1;
      told(one);
    });
    child.on("close", (code, signal) => {
      const early = counted.all === 0 ? "no test ran" : undefined;
      const other = code !== 0 && counted.failed === 0 ? (signal ?? `exit ${code}`) : undefined;
      const ended = other ?? early;
      resolve({ said, ...(ended !== undefined && { ended }) });
    });
  });
}
