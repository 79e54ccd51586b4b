/** The real Claude Code, with the one thing that only its tests ask for: which of its tools need no permission. */
import type { TestContext } from "node:test";
import { type AgentSession, type Ended, type Script, startAgent } from "./session.ts";

export { bin, type Hooks, registration } from "./session.ts";

export interface ClaudeSession extends Omit<AgentSession, "run"> {
  /** Runs the agent headless until it ends; `--continue` among the flags goes on with the session. */
  run(options?: { allowedTools?: string; flags?: string[]; prompt?: string }): Promise<Ended>;
}

export async function startClaude(
  context: TestContext,
  script: Script,
  options?: { daemon?: boolean; ownPackage?: "installed" },
): Promise<ClaudeSession> {
  const session = await startAgent(context, "claude-code", script, options);
  return {
    ...session,
    run: ({ allowedTools, ...rest } = {}) =>
      session.run({ ...rest, ...(allowedTools !== undefined && { allow: ["--allowedTools", allowedTools] }) }),
  };
}
