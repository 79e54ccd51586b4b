/** The agents that Hookline speaks to. A new one is a file and a row; the hot path imports this, so no row may load an editor. */
import type { AgentEventName, Figures, HookEvent } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { AgentAdapter, Places } from "./adapter.ts";
import { claudeCode } from "./claude-code/adapter.ts";

/** By the word after `hookline hook`, which is also the sender of their events. Ask with Object.hasOwn. */
export const agents: Readonly<Record<string, AgentAdapter>> = { [claudeCode.name]: claudeCode };

/** What the sender's own files say of the conversation. An event from elsewhere may name a transcript of any agent's. */
export function figuresOf(
  event: HookEvent,
  needs: ReadonlySet<string>,
  windows: Readonly<Record<string, number>>,
): Figures | undefined {
  const sender = Object.hasOwn(agents, event.sender) ? agents[event.sender] : undefined;
  if (sender) return sender.figures?.(event, needs, windows);
  for (const agent of Object.values(agents)) {
    const figures = agent.figures?.(event, needs, windows);
    if (figures) return figures;
  }
  return undefined;
}

/** Every event that some agent sends: a hook on another one waits for embedders, or for `emit`. */
export const sendableEvents = (): ReadonlySet<AgentEventName> =>
  new Set(Object.values(agents).flatMap(({ sends }) => [...sends]));

/** Why this hook is not ours to run for this sender, if its file is one that the agent reads itself (R35). */
export function runByAgent({ origin }: Hook, sender: string, places: Places): string | undefined {
  const agent = Object.hasOwn(agents, sender) ? agents[sender] : undefined;
  if (!agent || !origin.file) return undefined;
  const itself = origin.agent === agent.name || agent.readsItself(origin.file, places);
  return itself ? `run by the agent itself: ${agent.title} reads ${origin.file}` : undefined;
}

/**
 * The same in a process that stays, where one hook is asked about on every event: paths are looked at once for a hook as it was
 * loaded, an agent's folders and an environment.
 */
export function rememberRunByAgent(): typeof runByAgent {
  const known = new WeakMap<Hook, { sender: string; places: Places; answer: string | undefined }>();
  return (hook, sender, places) => {
    const last = known.get(hook);
    if (last && last.sender === sender && isSamePlace(last.places, places)) return last.answer;
    const answer = runByAgent(hook, sender, places);
    known.set(hook, { sender, places, answer });
    return answer;
  };
}

const isSamePlace = (left: Places, right: Places): boolean =>
  left.environment === right.environment && left.root === right.root && left.home === right.home;
