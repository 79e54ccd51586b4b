/** Events that a hook came to want after install: registered when a session begins. Apart from install, because no person is there to ask. */
import { messageOf } from "../core/error.ts";
import type { AgentEventName } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import { listensTo } from "../core/plan.ts";
import { type AgentAdapter, installLayers, type Places } from "./adapter.ts";

export interface WantedEvents {
  agent: AgentAdapter;
  places: Places;
  stateFolder: string;
  /** All that are in force where the session works. */
  hooks: readonly Hook[];
}

/**
 * Registers them in the first layer that calls us, as install has registered the others there. Agents take up such an edit in the
 * running session. Costs one look at the hooks where none wants such an event. Never rejects; gives what a person should know.
 */
export async function registerWanted({ agent, places, stateFolder, hooks }: WantedEvents): Promise<readonly string[]> {
  const ours = hooks.filter(
    (hook) => hook.enabled && !(hook.origin.file && agent.readsItself(hook.origin.file, places)),
  );
  const wanted = agent.settings.joinsLater.filter((event) => ours.some((hook) => listensTo(hook, event)));
  if (wanted.length === 0) return none;
  try {
    return await register(wanted, { agent, places, stateFolder, hooks: ours });
  } catch (error) {
    return [`${agent.title} is not told to send ${wanted.join(", ")}: ${messageOf(error)}`];
  }
}
const none: readonly string[] = [];

async function register(
  wanted: readonly AgentEventName[],
  { agent, places, stateFolder, hooks }: WantedEvents,
): Promise<readonly string[]> {
  const [{ installAgent }, { readRegistration }, { readText }] = await Promise.all([
    import("./install.ts"),
    import("./registration-read.ts"),
    import("./settings-file.ts"),
  ]);
  const found = installLayers.flatMap((layer) => {
    const file = agent.settings.file(layer, places);
    const there = readRegistration(readText(file), agent.name, file);
    return there ? [{ layer, ...there }] : [];
  });
  const missing = wanted.filter((event) => !found.some(({ events }) => events.includes(event)));
  const [first] = found;
  if (!first || missing.length === 0) return none;
  const { layer, command, http, events } = first;
  const blocks = (event: string): boolean =>
    http?.blocks(event) ||
    hooks.some((hook) => hook.onFailure === "block" && missing.some((one) => one === event && listensTo(hook, one)));
  const takes = (event: string): boolean => agent.overHttp?.(event as AgentEventName) === true; // only the table's keys are asked about
  const door = http && { ...http, takes, blocks };
  installAgent({
    agent,
    layer,
    places,
    stateFolder,
    command,
    ...(door && { http: door }),
    wanted: [...events, ...missing],
  });
  return none;
}
