/** What agents with a file of our own read in an answer: the keys that the file applies, event by event. */
import type { AgentAdapter } from "../../src/agents/adapter.ts";
import { continuationMark } from "../../src/agents/in-process/own-file.ts";
import type { AgentEventName } from "../../src/engine/event.ts";
import type { AgentCase } from "./agent-suite.ts";

const isSaid = (value: unknown): boolean => typeof value === "string" && value !== "";
const decided = ["deny", "context", "say"];
const keys: { readonly [N in AgentEventName]?: readonly string[] } = {
  SessionStart: ["context", "say"],
  UserPromptSubmit: decided,
  PreToolUse: ["deny", "args", "say"],
  PostToolUse: ["output", "context", "say"],
  PostToolUseFailure: ["context", "say"],
  Stop: ["continue", "say"],
  Interrupt: ["say"],
  SubagentStart: ["context", "say"],
  SubagentStop: ["say"],
  PreCompact: decided,
  FileChanged: ["say"],
};

export function pluginCase({ capabilities }: AgentAdapter): Omit<AgentCase, "recorded"> {
  const taken = Object.entries(keys).filter(([name]) => capabilities[name as AgentEventName]?.length); // a key of the table
  return {
    schema: Object.fromEntries(taken.map(([name, top]) => [name, { top }])),
    kinds: {
      ...{ deny: isSaid, context: isSaid, say: isSaid, continue: isSaid },
      args: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    },
    denied: {
      ...{ UserPromptSubmit: { deny: "no" }, PreToolUse: { deny: "no" }, PreCompact: { deny: "no" } },
      ...{ PostToolUse: { context: "no" }, PostToolUseFailure: { context: "no" } },
      Stop: { continue: `no\n\n${continuationMark}` },
    },
    rewrite: "args",
    call: { toolName: "bash", input: { tool: "bash" } },
  };
}
