/**
 * How git is asked so that nothing of a repository runs, and the one question that a guard cannot wait for. Apart from the runtime's
 * questions, because a condition answers at once.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { waitsForGit } from "./git-waits.ts";
import { findOutside } from "./paths.ts";

/**
 * In the words of the command line, because git before 2.31 does not read them from the environment. Of these, only what
 * leaves open which repository it is and where its own hooks lie.
 */
export const safelyAsFound: readonly string[] = flags(["core.fsmonitor=false", "core.pager=cat", "diff.external="]);
export const safely: readonly string[] = [
  ...safelyAsFound,
  ...flags(["core.hooksPath=/dev/null", "safe.bareRepository=explicit"]),
];

function flags(settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ["-c", setting]);
}

/** Nothing is fetched, written, asked of a person, or taken from the process that called us, such as a git hook's index. */
export function environmentFor(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(given).filter(([name]) => !/^GIT_/i.test(name));
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none", // the same for git before 2.45: no protocol has this name
    GIT_TERMINAL_PROMPT: "0",
  };
}

export const noGit = "no program git is in PATH";

/** Never the repository's own `git`, whatever PATH says. @param folder in which it is asked */
export const findGit = (
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): string | undefined => findOutside("git", environment, folder);

/** The folder whose `.git` git would take for a command that runs here. */
export function repositoryAround(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}

const mostTimeInMilliseconds = 5_000;
const longestListInBytes = 16 << 20;

/** What git prints between NULs, at once; undefined: it failed, or there is none. Only for questions that compare no file's content. Never throws. */
export function listByGit(folder: string, words: readonly string[]): readonly string[] | undefined {
  const program = findGit(process.env, folder);
  if (program === undefined || waitsForGit(folder, environmentFor(process.env)) !== undefined) return undefined;
  const { spawnSync } = process.getBuiltinModule("node:child_process"); // costs 3 ms, which most events need not pay
  const { status, stdout } = spawnSync(program, [...safely, ...words], {
    cwd: folder,
    env: environmentFor(process.env),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: mostTimeInMilliseconds,
    killSignal: "SIGKILL",
    maxBuffer: longestListInBytes,
    windowsHide: true,
  });
  return status === 0 ? stdout.split("\0").filter((one) => one !== "") : undefined;
}
