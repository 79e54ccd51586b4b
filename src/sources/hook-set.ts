/** Hooks in running order, known by the fingerprint of their content. */
import { fingerprint } from "../core/fingerprint.ts";
import { type Hook, type HookSet, inRunningOrder } from "../core/hook.ts";

export function hookSetOf(hooks: readonly Hook[]): HookSet {
  const ordered = [...hooks].sort(inRunningOrder);
  return { id: fingerprint(JSON.stringify(ordered)), hooks: ordered };
}
