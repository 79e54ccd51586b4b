/** Automations on the events of a real Claude Code: it waits for none of them, and the next worker does what was written down. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startClaude } from "./claude-session.ts";
import { real as limits } from "./first-run.ts";

const skip = limits("claude-code").skip;
const real = { skip, timeout: 120_000 };

const automation = `
name: what was run
trigger: { type: event, event_type: PostToolUse, skip_llm: true }
cooldown_seconds: 0
overlap: queue
context_steps:
  - { type: shell, command: "echo {{event.tool_name}}: {{event.tool_input.command}} >> ran.txt" }
`;

test(
  "[A5, A6, R48] each call of a tool is written down while the agent works, and done in order when a worker starts",
  real,
  async (t) => {
    const session = await startClaude(t, {
      turns: [
        { calls: [{ tool: "Bash", input: { command: "echo 'one $(two)'" } }] },
        { calls: [{ tool: "Bash", input: { command: "true" } }] },
        { text: "Done." },
      ],
    });
    await session.write(".hookline/automations/ran.yaml", automation);
    await session.hookline("install", "claude-code", "--layer", "project");
    const ended = await session.run({ allowedTools: "Bash" });
    assert.equal(ended.code, 0, ended.stderr);
    const statuses = async (): Promise<string[]> =>
      JSON.parse((await session.hookline("runs", "--event", "PostToolUse", "--json")).stdout).map(
        ({ status }: { status: string }) => status,
      );
    assert.deepEqual(await statuses(), ["queued", "queued"], "nobody works yet");
    await session.hookline("up", "--once", "--port", "0");
    assert.deepEqual(await statuses(), ["completed", "completed"]);
    assert.equal(await session.read("ran.txt"), "Bash: echo 'one $(two)'\nBash: true\n");
  },
);
