/** Whether a person has trusted the hook of a run as it is now. */
import { existsSync } from "node:fs";
import type { Run, Store } from "../../../engine/record.ts";
import { isUntrusted } from "../../../loading/trust/untrusted.ts";
import { trustWords } from "../../../operations/runs/runs.ts";
import type { Invocation } from "../command.ts";
import { loadActive } from "../loaded.ts";

/** @param root the folder whose hook it is */
export async function trustNow({ hook: id }: Run, root: string, place: Invocation, store: Store): Promise<string> {
  const now = existsSync(root) ? (await loadActive({ ...place, cwd: root }, store)).set.hooks : [];
  const hook = now.find((one) => one.id === id);
  if (!hook) return "the hook is no longer there";
  return isUntrusted(hook) ? "not trusted as it is now: hookline trust shows what has changed" : trustWords(hook);
}
