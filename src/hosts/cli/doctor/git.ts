/** Git's hook in this repository: that it is where a person has put it, and that what it asks may run. */

import { counted } from "../../../engine/words.ts";
import { commitHooks, waitingForTrust, waitingWords } from "../../../operations/hooks/hook-counts.ts";
import type { GitHookHere } from "../../../operations/machine.ts";
import { type Area, row } from "./check.ts";
import type { Here } from "./here.ts";

/** Those that a commit asks. */
const listening = async (here: Here) => commitHooks(await here.hooks());

export const git: Area = {
  name: "git",
  isHere: async (here) => here.gitHook() !== null,
  checks: [
    row<GitHookHere>("git-hook-gone", {
      is: "bad",
      find(here) {
        const found = here.gitHook();
        return found?.hook === null && found.wasInstalled ? [found] : [];
      },
      says: ({ hooks }, { show }) =>
        `git runs Hookline no more before commits: another tool has replaced or removed its hook in ${show(hooks)}`,
      run: () => "hookline git install",
    }),
    row<number>("git-hook-missing", {
      is: "note",
      async find(here) {
        const found = here.gitHook();
        const hooks = await listening(here);
        return found?.hook === null && !found.wasInstalled && hooks.length > 0 ? [hooks.length] : [];
      },
      says: (count) => `${counted(count, "hook")} for commits, and git does not run Hookline before them`,
      run: () => "hookline git install",
    }),
    row<number>("git-hooks-not-trusted", {
      is: "note",
      async find(here) {
        const waiting = waitingForTrust(await here.hooks());
        return here.gitHook()?.hook && waiting > 0 ? [waiting] : [];
      },
      says: (count) => waitingWords(count).replace(/: run .*/, ""),
      run: () => "hookline trust",
    }),
  ],
  good: (here) => (here.gitHook()?.hook ? "git runs Hookline before each commit" : "no hook here is for commits"),
};
