/** A process that stays and is mostly at rest is to be small: V8 takes that only when it starts, so this one starts once more. */
import { environmentOf } from "./command.ts";

/**
 * What an event leaves dies young, and what lives long hardly grows: a small young generation, and an old one that is looked
 * through early, keep the process small while it is busy. Smaller ones yet and `--optimize-for-size` save a few megabytes more,
 * and the time of an event doubles (bench/memory.ts, bench/ingest.ts).
 */
export const smallHeap: readonly string[] = ["--max-semi-space-size=4", "--heap-growing-percent=30"];

const isSmall = (): boolean => smallHeap.every((flag) => process.execArgv.includes(flag));

/**
 * To be called before anybody listens to signals: what Node has heard and not yet told is lost when it starts once more.
 * Returns where it cannot be done, or need not be. The process stays the same one, with all that it was given.
 *
 * @param given the words of `up`: of these, some do not stay
 */
export function becomeSmall(given: readonly string[]): void {
  if (isSmall() || given.some((word) => /^--(?:once|background|service)(?:=|$)/.test(word))) return;
  const { execPath, execArgv, argv, env } = process;
  const bin = env.HOOKLINE_BIN ?? argv[1];
  if (bin === undefined) return;
  try {
    process.execve?.(execPath, [execPath, ...smallHeap, ...execArgv, bin, ...argv.slice(2)], environmentOf(env));
  } catch {
    // a system without it, or a Node that was told not to: it is a larger process
  }
}
