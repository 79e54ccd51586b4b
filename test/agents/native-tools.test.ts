/** What all tables of agents' own tools have in common. */
import { deepEqual } from "node:assert/strict";
import test from "node:test";
import { tools as copilot } from "../../src/agents/copilot/tools.ts";
import { tools as gemini } from "../../src/agents/gemini/tools.ts";
import { canonicalCall } from "../../src/agents/native-tools.ts";
import { tools as opencode } from "../../src/agents/opencode/calls.ts";
import { tools as pi } from "../../src/agents/pi/adapter.ts";

for (const [name, tools] of Object.entries({ copilot, gemini, opencode, pi }))
  test(`a field that no tool of ${name} knows does not take the place of one that it runs by`, () => {
    for (const [tool, { fields = {} }] of Object.entries(tools))
      for (const [theirs, ours] of Object.entries(fields))
        for (const input of [
          { [theirs]: "what runs", [ours]: "a harmless one" },
          { [ours]: "a harmless one", [theirs]: "what runs" },
        ])
          deepEqual(canonicalCall(tools, tool, input).tool_input, { [ours]: "what runs" }, `${tool} ${ours}`);
  });
