/** The input of a tool that comes as a text: every adapter reads what it holds, as guards could not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { agents } from "../../src/agents/index.ts";
import type { Fields } from "../../src/engine/event.ts";

const input: Fields = { command: "rm -rf ~" };
const common: Fields = { session_id: "s", sessionId: "s", cwd: "/work", timestamp: 1 };
const options = { at: 0, id: () => "1", event: "PreToolUse", cwd: "/work" };

/** A call of the shell by each agent whose payload holds the input in a field of its own. */
const payloads: { readonly [agent: string]: (text: string) => Fields } = {
  "claude-code": (text) => ({ ...common, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: text }),
  codex: (text) => ({ ...common, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: text }),
  qwen: (text) => ({ ...common, hook_event_name: "PreToolUse", tool_name: "run_shell_command", tool_input: text }),
  gemini: (text) => ({ ...common, hook_event_name: "BeforeTool", tool_name: "run_shell_command", tool_input: text }),
  copilot: (text) => ({ ...common, toolName: "bash", toolArgs: text }),
};

for (const [name, payload] of Object.entries(payloads))
  test(`${name}: a tool's input that is JSON in a text is read, and a text in a text as well`, () => {
    for (const text of [JSON.stringify(input), JSON.stringify(JSON.stringify(input))]) {
      const [event] = agents[name]?.decode(payload(text), options) ?? [];
      assert.deepEqual(event?.data.tool_input, input);
      assert.equal(event?.data.tool_name, "Bash");
    }
  });
