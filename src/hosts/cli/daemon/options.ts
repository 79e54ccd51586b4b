/** What the flags of `hookline up` mean, and the flags that Node itself needs for the daemon. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Seconds } from "../../../engine/event.ts";
import { environmentOf, type Invocation, textFlag, textsFlag, usageError } from "../command.ts";

interface UpOptions {
  /** Undefined: the one that agents look for, or any. */
  port: number | undefined;
  workspaces: readonly string[];
  onDemand: boolean;
  /** Without an event for so long it ends; undefined: it stays. */
  idle: Seconds | undefined;
}

/** Throws HooklineError usage. */
export function upOptionsOf(invocation: Invocation): UpOptions {
  const { flags, cwd, home } = invocation;
  const onDemand = flags["on-demand"] === true;
  const workspaces = foldersOf(invocation);
  const own = onDemand ? home : cwd;
  return {
    port: portOf(invocation),
    workspaces: workspaces.length > 0 ? workspaces : [own],
    onDemand,
    idle: idleOf(invocation) ?? (onDemand ? idleOnDemand : undefined),
  };
}

/** For a daemon that a client started. */
const idleOnDemand: Seconds = 3600;

function portOf({ flags, usage }: Invocation): number | undefined {
  const written = textFlag(flags, "port");
  if (written === undefined) return undefined;
  const port = Number(written);
  if (/^\d+$/.test(written) && port <= 65_535) return port;
  throw usageError(`"${written}" is not a port`, usage);
}

function idleOf({ flags, usage }: Invocation): Seconds | undefined {
  const written = textFlag(flags, "idle-exit");
  if (written === undefined) return undefined;
  const minutes = Number(written);
  if (/^\d+(\.\d+)?$/.test(written) && minutes > 0) return minutes * 60;
  throw usageError(`"${written}" is not a number of minutes above 0`, usage);
}

/** Those that are there: a folder that is missing now would be watched in vain. */
function foldersOf({ flags, cwd, usage }: Invocation): string[] {
  return textsFlag(flags, "workspace").map((written) => {
    const folder = resolve(cwd, written);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
    throw usageError(`the folder ${folder} does not exist`, usage);
  });
}

// A process that stays and is mostly idle should be small. V8 takes that only at its start, so this process starts
// again.

/**
 * What an event leaves dies young, and what lives long hardly grows: a small young generation, and an old one that is looked
 * through early, keep the process small while it is busy. Smaller ones yet and `--optimize-for-size` save a few megabytes more,
 * and the time of an event doubles (bench/memory.ts, bench/ingest.ts).
 */
export const smallHeap: readonly string[] = ["--max-semi-space-size=4", "--heap-growing-percent=30"];

const isSmall = (): boolean => smallHeap.every((flag) => process.execArgv.includes(flag));

/**
 * To be called before signals are listened to: one that Node has not delivered yet is lost when it starts again.
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
    // a system without it, or a Node that may not: the process is larger
  }
}
