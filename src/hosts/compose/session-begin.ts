/** What Hookline does beside the hooks when an agent's session begins, in a command as in the daemon. */
import type { AgentAdapter } from "../../agents/adapter.ts";
import { anyConsent } from "../../agents/git/repository.ts";
import { registrationNotices } from "../../agents/install/notices.ts";
import type { Hook } from "../../engine/hook.ts";
import type { Store } from "../../engine/record.ts";

interface SessionBegin {
  agent: AgentAdapter;
  /** Where the session works. */
  place: { cwd: string; home: string; environment: Readonly<Record<string, string>> };
  root: string;
  /** All that are active there. */
  hooks: readonly Hook[];
  stateFolder: string;
  store: Pick<Store, "recentHookSets" | "hookSet">;
}

/**
 * Restores Hookline's git hook where a person has installed it, and gives what that person should run where the agent's
 * registration no longer fits the hooks. Where git was never installed it costs one look at a folder. Never rejects.
 */
export async function notesAtBegin({ agent, place, root, hooks, stateFolder, store }: SessionBegin): Promise<string[]> {
  const { home, environment } = place;
  const notices = await registrationNotices({ agent, places: { home, root, environment }, stateFolder, hooks });
  if (!anyConsent(stateFolder)) return [...notices];
  const { refreshGitHooks } = await import("../cli/git/hooks.ts");
  const program = [process.execPath, process.env.HOOKLINE_BIN ?? ""] as const;
  return [...notices, ...(await refreshGitHooks({ place, program, store }, { because: "session" }))];
}
