/** Events that a hook came to want after install: registered when a session begins. Apart from install, because no person is there to ask. */
import { messageOf } from "../core/error.ts";
import type { AgentEventName } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { listensTo } from "../core/plan.ts";
import type { AgentAdapter, Places } from "./adapter.ts";

export interface WantedEvents {
  agent: AgentAdapter;
  places: Places;
  stateFolder: string;
  /** The layer whose registration told of the session's begin. */
  by: string | undefined;
  /** All that are in force where the session works. */
  hooks: readonly Hook[];
}

/**
 * Registers them in a layer that install has made call us, as the others are there, which stay as they are. Agents take up
 * such an edit in the running session. Costs one look at the hooks where none wants such an event. Never rejects; gives what a
 * person should know.
 */
export async function registerWanted(wish: WantedEvents): Promise<readonly string[]> {
  const { agent, places } = wish;
  const ours = wish.hooks.filter(
    (hook) => hook.enabled && !(hook.origin.file && agent.readsItself(hook.origin.file, places)),
  );
  const wanted = agent.settings.joinsLater.filter((event) => ours.some((hook) => listensTo(hook, event)));
  if (wanted.length === 0) return none;
  try {
    return await register(wanted, { ...wish, hooks: ours });
  } catch (error) {
    return [`${agent.title} is not told to send ${wanted.join(", ")}: ${messageOf(error)}`];
  }
}
const none: readonly string[] = [];

async function register(
  wanted: readonly AgentEventName[],
  { hooks, ...late }: WantedEvents,
): Promise<readonly string[]> {
  const { addLateEvent } = await import("./late-event.ts");
  const notes: string[] = [];
  for (const event of wanted) {
    const blocks = hooks.some((hook) => hook.onFailure === "block" && listensTo(hook, event));
    notes.push(...(await addLateEvent({ ...late, event, blocks })));
  }
  return notes;
}
