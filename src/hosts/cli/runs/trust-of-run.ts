/** Whether a person has trusted the hook of a run: as it was when the event came, and as it is now. */
import { existsSync } from "node:fs";
import type { Hook } from "../../../engine/hook.ts";
import type { Run, Store } from "../../../engine/record.ts";
import { isUntrusted } from "../../../loading/trust/untrusted.ts";
import type { Invocation } from "../command.ts";
import { loadActive } from "../loaded.ts";

type HookSets = Pick<Store, "event" | "hookSet">;

/** The hook as it was for the run. */
export async function hookOfRun({ eventId, hook: id }: Run, store: HookSets): Promise<Hook | undefined> {
  const stored = await store.event(eventId);
  const set = stored && (await store.hookSet(stored.set));
  return set?.hooks.find((hook) => hook.id === id);
}

export const trustWords = (hook: Hook): string =>
  isUntrusted(hook) ? "not trusted" : hook.origin.root === undefined ? "your own hook" : "trusted";

/** @param root the folder whose hook it is */
export async function trustNow({ hook: id }: Run, root: string, place: Invocation, store: Store): Promise<string> {
  const now = existsSync(root) ? (await loadActive({ ...place, cwd: root }, store)).set.hooks : [];
  const hook = now.find((one) => one.id === id);
  if (!hook) return "the hook is no longer there";
  return isUntrusted(hook) ? "not trusted as it is now: hookline trust shows what has changed" : trustWords(hook);
}
