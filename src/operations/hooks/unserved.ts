/** What a clock or a watch would set off and no daemon does: doctor, status, list and explain say it by the same function. */
import type { Fields } from "../../engine/event.ts";
import { nameOf } from "../../engine/explain.ts";
import type { Hook } from "../../engine/hook.ts";
import { counted, listed } from "../../engine/words.ts";
import { realOf } from "../../files/paths.ts";

/** Enabled hooks that a clock or a watch sets off: only a daemon has these. */
export const waitingForDaemon = (hooks: readonly Hook[]): Hook[] =>
  hooks.filter(({ on, enabled, untrusted }) => enabled && untrusted === undefined && !("event" in on));

export interface Unserved {
  /** Those that nothing sets off now. */
  hooks: readonly Hook[];
  /** The folders that the daemon serves; undefined: none runs. */
  served?: readonly string[];
}

/** @param running what the daemon says of itself; one that does not say what it serves may serve all */
export function unserved(hooks: readonly Hook[], running: Fields | undefined): Unserved {
  const waiting = waitingForDaemon(hooks);
  if (!running) return { hooks: waiting };
  if (!Array.isArray(running.workspaces)) return { hooks: [], served: [] };
  const served = running.workspaces.map((folder) => realOf(String(folder)));
  return {
    hooks: waiting.filter(({ origin: { root } }) => root !== undefined && !served.includes(realOf(root))),
    served,
  };
}

/** Undefined: each of them is served. */
export function unservedWords({ hooks, served }: Unserved): string | undefined {
  if (hooks.length === 0) return undefined;
  const [count, isOne] = [counted(hooks.length, "hook"), hooks.length === 1];
  const which = listed(hooks.map(({ name, on }) => `${name} (${nameOf(on)})`));
  return served
    ? `the daemon does not serve this folder, so ${count} of it never ${isOne ? "fires" : "fire"}: ${which}`
    : `${count} ${isOne ? "waits" : "wait"} for a clock or a file, and no daemon runs: ${which}`;
}

export const seeDoctor = (words: string): string => `${words} — run \`hookline doctor\``;
