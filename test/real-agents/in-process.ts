/** What the agents that load a file of ours have in common beyond the contract: a prompt that is refused, and a Stop that never passes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { real } from "./first-run.ts";
import type { AgentName } from "./installed.ts";
import { type Hooks, startAgent } from "./session.ts";

export function refusesPrompts(name: AgentName): void {
  test("a prompt that a hook refuses reaches no model", real(name), async (t) => {
    const session = await startAgent(t, name, { turns: [{ text: "Never." }] });
    await session.register({
      UserPromptSubmit: [
        { hooks: [{ type: "command", command: "echo 'not this prompt' >&2; exit 2", role: "guard" }] },
      ],
    });
    const { code, stdout, stderr } = await session.run();
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /not this prompt/);
    assert.equal(session.model.conversation().length, 0);
  });
}

/** Denies each stop, and counts them in a file of the repository. */
export const alwaysBlocking: Hooks = {
  Stop: [{ hooks: [{ type: "command", command: 'echo x >>"$PWD/stops.txt"; echo "not yet" >&2; exit 2' }] }],
};
