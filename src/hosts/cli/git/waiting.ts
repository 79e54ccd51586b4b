/** Hooks that a commit would ask and that do not run, because no person has trusted them: install, status, doctor and each commit say so. */
import type { Hook } from "../../../engine/hook.ts";
import { commitHooks } from "./worktrees.ts";

export const waitingForTrust = (hooks: readonly Hook[]): number =>
  commitHooks(hooks).filter(({ untrusted, enabled }) => untrusted !== undefined && enabled).length;

/** The names are a stranger's, so they are not in it. */
export const waitingWords = (count: number): string =>
  `${count === 1 ? "1 hook for commits does not run until you trust it" : `${count} hooks for commits do not run until you trust them`}: run \`hookline trust\``;
