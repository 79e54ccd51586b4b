/**
 * What a commit runs in each worktree of a repository. Apart, because modules are run only in the worktree of the
 * caller.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type AskGit, type GitPlace, preCommit } from "../../../agents/git/repository.ts";
import type { Hook, Problem } from "../../../engine/hook.ts";
import type { Store } from "../../../engine/record.ts";
import { findGit, noGit, safelyAsFound } from "../../../files/git-safely.ts";
import { waitsForGit } from "../../../files/git-waits.ts";
import { textOfNames } from "../../../files/names.ts";
import { commitHooks } from "../../../operations/hooks/hook-counts.ts";
import { loadFiles, loadForOneEvent } from "../loaded.ts";
import type { Place } from "../place.ts";

export interface Worktree {
  /** Those that a commit asks. */
  hooks: Hook[];
  /** A module that was not run may hold more of them. */
  mayHoldMore: boolean;
}

/** Broken guards hold in their last good form, as they do for a commit. Never rejects. */
export const readWorktrees = (
  where: Place,
  { top: own, worktrees }: GitPlace,
  store: Pick<Store, "recentHookSets" | "hookSet">,
): Promise<Worktree[]> =>
  Promise.all(
    worktrees
      .filter((top) => existsSync(top))
      .map(async (top) => {
        const place = { ...where, cwd: top, ...(top === own ? {} : { withoutModules: true as const }) };
        const { set, modules } = await loadFiles(place, store, { for: "one event" });
        // The user's own have been run for the worktree of the caller.
        const mayHoldMore = top !== own && modules.some(({ root }) => root !== undefined);
        return { hooks: commitHooks(set.hooks), mayHoldMore };
      }),
  );

// Hooks that no commit runs, because they lie below the top of their worktree.

/** The top of the worktree that it lies below, if it does. */
function topAbove({ on, origin: { root } }: Hook): string | undefined {
  if (root === undefined || !("event" in on && on.event.includes(preCommit))) return undefined;
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder === root ? undefined : folder;
    if (folder === dirname(folder)) return undefined;
  }
}

export const findingsBelow = (hooks: readonly Hook[]): Problem[] =>
  hooks.flatMap((hook): Problem[] => {
    const top = topAbove(hook);
    const { root = "", file = "", line = 1, column = 1 } = hook.origin;
    if (top === undefined) return [];
    return [
      {
        severity: "warning",
        code: "event-never-sent",
        message: "this hook never runs: commits run only hooks at the top of the worktree",
        suggestion: `move it to ${join(top, relative(root, file))}`,
        file,
        line,
        column,
      },
    ];
  });

/** Where hooks may lie in folders below, as git reads patterns of paths. */
const patterns = [".hookline", ".discobot/hooks"].map((folder) => `:(glob)*/**/${folder}/**`);

/** Those of all folders below that git does not ignore. Never rejects. */
export async function hooksBelow(ask: AskGit, top: string, where: Place): Promise<Hook[]> {
  const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const answer = ask(words, top);
  if (!answer.ok) return [];
  const folders = answer.text.split("\0").flatMap((path) => /^(.+?)\/\.(?:hookline|discobot)\//.exec(path)?.[1] ?? []);
  const found: Hook[] = [];
  for (const folder of new Set(folders)) {
    const root = join(top, folder);
    const { set } = await loadForOneEvent({ ...where, cwd: root, withoutModules: true });
    found.push(...set.hooks.filter((hook) => hook.origin.root === root && topAbove(hook) === top));
  }
  return found;
}

// Asks git with the index, environment and configuration of our caller, a git hook: they decide where hooks lie. The
// questions of runtime/processes/git.ts leave them out. Nothing of the repository is run by the words that are asked here.

const longestAnswerInBytes = 64 << 20;
const limitInMilliseconds = 30_000;

export function askGitAs(environment: Readonly<Record<string, string>>): AskGit {
  return (words, folder) => {
    const git = findGit(environment, folder);
    if (git === undefined) return { ok: false, reason: noGit };
    const waits = waitsForGit(folder, environment);
    if (waits !== undefined) return { ok: false, reason: waits };
    const { status, stdout, stderr, error } = spawnSync(git, [...safelyAsFound, ...words], {
      cwd: folder,
      env: { ...environment, GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
      input: "",
      maxBuffer: longestAnswerInBytes,
      timeout: limitInMilliseconds,
    });
    if (error) return { ok: false, reason: `git could not run: ${error.message}` };
    if (status === 0) return { ok: true, text: textOfNames(stdout) };
    const [said = ""] = stderr.toString("utf8").trim().split("\n");
    const reason = said.replace(/^fatal: /, "") || `git ended with exit code ${status}`;
    return { ok: false, reason, ...(status === null ? {} : { code: status }) };
  };
}
