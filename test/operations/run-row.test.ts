/** The word for what a run's answer did, and how its call is named. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Fields } from "../../src/engine/event.ts";
import type { Run } from "../../src/engine/record.ts";
import { callOf } from "../../src/operations/call.ts";
import { runRow } from "../../src/operations/runs/run-row.ts";

const aRun: Run = {
  ...{ id: "r", hook: "h", hookName: "h", eventId: "e", eventName: "PreToolUse", cause: "event:PreToolUse" },
  ...{ status: "completed", startedAt: 0, steps: [], notes: [], asked: 1 },
};
const deny = { verdict: { is: "deny", by: "h", reason: "no" } } as const;

const cases: readonly (readonly [Partial<Run>, outcome: string | null, reason: string | null])[] = [
  [{ outcome: deny }, "blocked", "no"],
  [{ outcome: deny, status: "failed", reason: "exit 3" }, "blocked", "no"],
  [{ outcome: { stop: { reason: "enough" } } }, "blocked", "enough"],
  [{ outcome: deny, eventName: "Stop" }, "held", "no"],
  [{ outcome: { verdict: { is: "ask", by: "h" } } }, "asked", null],
  [{ outcome: { verdict: { is: "allow", by: "h" } } }, "allowed", null],
  [{ outcome: { verdict: { is: "allow", by: "h" }, updatedInput: { command: "ls" } } }, "rewritten", null],
  [{ status: "timeout", reason: "after 5 s" }, "failed", "after 5 s"],
  [{ status: "skipped", reason: "paused" }, null, "paused"],
  [{ withheld: { because: "report", outcome: deny }, reason: "would have denied: no" }, null, "would have denied: no"],
  [{ outcome: { context: ["read this"] } }, null, null],
];

test("a run's outcome is one word for what its answer did to the event, and its reason says why", () => {
  for (const [more, outcome, reason] of cases) {
    const row = runRow({ ...aRun, ...more }, undefined);
    assert.deepEqual([row.outcome, row.reason], [outcome, reason], JSON.stringify(more));
  }
});

const calls: readonly (readonly [Fields, string | undefined])[] = [
  [{ tool_name: "Bash", tool_input: { command: "git push" } }, "Bash: git push"],
  [{ tool_name: "Write", tool_input: { file_path: "a.ts", content: "x" } }, "Write: a.ts"],
  [{ tool_name: "mcp__x__y", tool_input: { n: 1 } }, 'mcp__x__y: {"n":1}'],
  [{ tool_name: "Now" }, "Now"],
  [{ prompt: "do it" }, "do it"],
  [{ stop_hook_active: true }, undefined],
];

test("a call is the tool and the part of its input that a person would name", () => {
  for (const [data, said] of calls) assert.equal(callOf(data), said);
});
