/** Hooks for commits that no commit asks, because they lie below the top of their worktree. For `check` and `git install`. */
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type AskGit, preCommit } from "../../agents/git/repository.ts";
import type { Hook, Problem } from "../../engine/hook.ts";
import { loadForOneEvent } from "./loaded.ts";
import type { Place } from "./place.ts";

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
        message: "no commit asks this hook: git asks those at the top of the worktree only",
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
