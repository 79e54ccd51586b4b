/** The processor time of whole processes, which is steadier than wall time on a shared machine. */
import { spawnSync } from "node:child_process";

export interface Program {
  /** Absolute path and words. */
  command: readonly [string, ...string[]];
  /** A file that is its standard input. */
  input: string;
  cwd: string;
  environment: Readonly<Record<string, string>>;
}
export interface ProcessTime {
  /** User and system time of the process and all that it waited for, milliseconds. */
  processor: number;
  wall: number;
}

/**
 * bash's `time` reads the kernel's own accounting of ended children (getrusage), which the kernel keeps to the
 * microsecond; bash prints milliseconds, so a few runs are taken in one reading. The fork of the small bash itself
 * (under 1 ms) counts on every side alike.
 */
const script = `TIMEFORMAT='%3R %3U %3S'
times=$1 input=$2
shift 2
time for ((run = 0; run < times; run++)); do "$@" <"$input" >/dev/null || exit 1; done`;

/** One reading: the mean of a few runs, one after another. */
export function timeProgram({ command, input, cwd, environment }: Program, runs: number): ProcessTime {
  const words = ["--norc", "-c", script, "bash", String(runs), input, ...command];
  const done = spawnSync("bash", words, { cwd, env: { ...environment }, encoding: "utf8" });
  const figures = /([\d.]+) ([\d.]+) ([\d.]+)\s*$/.exec(done.stderr ?? "");
  if (done.status !== 0 || !figures)
    throw new Error(`${command.join(" ")} failed: ${done.stderr || done.error?.message}`);
  const [wall = 0, user = 0, system = 0] = figures.slice(1).map((seconds) => (Number(seconds) * 1000) / runs);
  return { processor: user + system, wall };
}
