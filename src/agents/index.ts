/** The agents that Hookline speaks to. A new one is a file and a row; the hot path imports this, so no row may load an editor. */
import type { AgentAdapter } from "./adapter.ts";
import { claudeCode } from "./claude-code.ts";

/** By the word after `hookline hook`, which is also the sender of their events. Ask with Object.hasOwn. */
export const agents: Readonly<Record<string, AgentAdapter>> = { [claudeCode.name]: claudeCode };
