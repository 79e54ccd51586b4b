/** The agents that Hookline speaks to. A new one is a file and a row; the hot path imports this, so no row may load an editor. */
import type { Hook } from "../core/hook.ts";
import type { AgentAdapter, Places } from "./adapter.ts";
import { claudeCode } from "./claude-code.ts";

/** By the word after `hookline hook`, which is also the sender of their events. Ask with Object.hasOwn. */
export const agents: Readonly<Record<string, AgentAdapter>> = { [claudeCode.name]: claudeCode };

/** Why this hook is not ours to run for this sender, if its file is one that the agent reads itself (R35). */
export function runByAgent({ origin }: Hook, sender: string, places: Places): string | undefined {
  const agent = Object.hasOwn(agents, sender) ? agents[sender] : undefined;
  if (!agent || !origin.file) return undefined;
  const itself = origin.agent === agent.name || agent.readsItself(origin.file, places);
  return itself ? `run by the agent itself: ${agent.title} reads ${origin.file}` : undefined;
}
