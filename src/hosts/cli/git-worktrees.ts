/** What a commit asks in each worktree of a repository. Apart, because code of a worktree is run only where somebody works in it. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { preCommit } from "../../agents/git/event.ts";
import type { GitPlace } from "../../agents/git/repository.ts";
import type { Hook } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import type { Store } from "../../engine/record.ts";
import type { Loaded } from "../../loading/loading.ts";
import { loadFiles } from "./loaded.ts";
import type { Place } from "./place.ts";

export interface Worktree {
  top: string;
  /** Those that a commit asks. */
  hooks: Hook[];
  /** Files in which there may be more of them: modules that were not run. */
  unread: readonly string[];
  /** The same of files that are broken. */
  broken: readonly string[];
  watched: readonly string[];
}

/** Broken guards hold in their last good form, as they do for a commit. Never rejects. */
export const readWorktrees = (
  where: Place,
  { top: own, worktrees }: GitPlace,
  store: Pick<Store, "setsInForce" | "hookSet">,
): Promise<Worktree[]> =>
  Promise.all(
    worktrees
      .filter((top) => existsSync(top))
      .map(async (top) => {
        const place = { ...where, cwd: top, ...(top === own ? {} : { withoutModules: true as const }) };
        const { set, watched, problems, modules } = await loadFiles(place, store, { for: "one event" });
        return {
          top,
          hooks: set.hooks.filter((hook) => listensTo(hook, preCommit)),
          unread: top === own ? [] : filesOf(modules),
          broken: problems.filter(({ severity }) => severity === "error").map(({ file }) => file),
          watched,
        };
      }),
  );

/** The user's own have been run for the worktree in which somebody works. */
const filesOf = (modules: Loaded["modules"]): string[] =>
  modules.filter(({ root }) => root !== undefined).map(({ name, from }) => (isAbsolute(name) ? name : from));
