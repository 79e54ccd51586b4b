/** What is claimed of every real agent, and where the results of its last measured run lie. Apart, because docs/agents.md is made from it. */
import { join } from "node:path";

/** enforced: the agent did what the hook said. instead: it cannot, so the call was refused. no: it has no effect there. none: the agent has no such thing. */
export type Measured = "enforced" | "instead" | "no" | "none";

export const claims = {
  "deny shell": "a shell call is refused by one pattern",
  "deny write": "a new file is refused by its path",
  "deny edit": "a change of a file is refused by its path",
  "deny MCP": "a call of an MCP server's tool is refused by a pattern with the server's name",
  "deny subagent": "a subagent's shell call is refused by the same pattern",
  "goes on": "the session goes on after refusals",
  rewrite: "a guard's other input is what runs",
  ask: "a question that no person can answer refuses the call",
  permission: "a hook answers the agent's request for permission, and no person is asked",
  "context at start": "context of SessionStart is in the first request",
  "context of a prompt": "context of UserPromptSubmit is in the request of that prompt",
  "context of a result": "context of PostToolUse is in the next request",
  stop: "a Stop that is always blocked ends after three continuations",
  "daemon killed": "guards hold after the daemon was killed, and the session goes on",
  "daemon stopped": "guards hold while the daemon is stopped, and the session goes on",
  "Hookline gone": "guards refuse where Hookline is gone",
  "Hookline gone, no guard": "without guards, calls pass where Hookline is gone",
} as const;
export type Claim = keyof typeof claims;
export type Expected = { readonly [C in Claim]: Measured };

/** A measured run, as it is kept. */
export interface Results {
  agent: string;
  version: string;
  date: string;
  claims: Partial<Record<Claim, Measured>>;
  /** Names that stand in the agent's own list of events and in no table of ours. Absent: no list was found in its program. */
  newEvents?: readonly string[];
}

/** The folder of each set of versions. */
const folders = { pinned: ".", other: "other-versions", latest: "latest" } as const;
export const resultsFile = (agent: string, versions: keyof typeof folders): string =>
  join(import.meta.dirname, folders[versions], "results", `${agent}.json`);
