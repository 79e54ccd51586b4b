/** A process that stays and is mostly at rest is to be small: V8 takes that only when it starts, so this one starts once more. */

/**
 * What an event leaves dies young, and what lives long hardly grows: a small young generation and an old one that is looked
 * through early halve the memory, and cost little time (bench/memory.ts).
 */
const flags: readonly string[] = ["--max-semi-space-size=1", "--heap-growing-percent=20", "--optimize-for-size"];

export const isSmall = (): boolean => flags.every((flag) => process.execArgv.includes(flag));

/** Returns where it cannot be done. The process stays the same one, with all that it was given. */
export function becomeSmall(): void {
  const { execPath, execArgv, argv, env } = process;
  const bin = env.HOOKLINE_BIN ?? argv[1];
  if (bin === undefined) return;
  try {
    process.execve?.(execPath, [execPath, ...flags, ...execArgv, bin, ...argv.slice(2)], definedIn(env));
  } catch {
    // a system without it, or a Node that was told not to: it is a larger process
  }
}

function definedIn(env: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value;
  return defined;
}
