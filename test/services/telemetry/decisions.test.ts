/** Events with all that came of them, as telemetry sees them: each run once, whenever it ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../../src/engine/record.ts";
import { createHookline, defineHook } from "../../../src/index.ts";
import { type Decision, followDecisions } from "../../../src/services/telemetry/decisions.ts";

function following() {
  const decisions: Decision[] = [];
  const behind: Run[] = [];
  const observe = followDecisions(Date.now, {
    decided: (decision) => void decisions.push(decision),
    ended: (run) => void behind.push(run),
  });
  return { decisions, behind, observe };
}
const call = { tool_name: "Bash", tool_input: { command: "ls" } };

test("a guard that was asked again after a rewrite is one run with both its steps", async (t) => {
  const { decisions, behind, observe } = following();
  const line = await createHookline({ files: false, observe });
  t.after(() => line.close());
  line.use(defineHook({ name: "guard", on: "PreToolUse", role: "guard", priority: 1, run: () => undefined }));
  line.use(
    defineHook({ name: "rewrite", on: "PreToolUse", priority: 2, run: () => ({ updatedInput: { command: "ls -l" } }) }),
  );
  await line.emit("PreToolUse", call);
  const [{ runs = [], ms = -1 } = {}] = decisions;
  assert.deepEqual(
    runs.map(({ hookName, asked, steps }) => [hookName, asked, steps.length]),
    [
      ["guard", 2, 2],
      ["rewrite", 1, 1],
    ],
  );
  assert.ok(ms >= 0);
  assert.deepEqual([decisions.length, behind], [1, []]);
});

test("a hook that ends behind the answer is told apart, once", async () => {
  const { decisions, behind, observe } = following();
  const line = await createHookline({ files: false, observe });
  const { promise, resolve } = Promise.withResolvers<void>();
  line.use(defineHook({ name: "slow", on: "PreToolUse", mode: "async", run: () => promise }));
  await line.emit("PreToolUse", call);
  assert.deepEqual([decisions.map(({ runs }) => runs), behind], [[[]], []]);
  resolve();
  await line.close();
  assert.deepEqual(
    behind.map(({ hookName, status, eventId }) => [hookName, status, eventId]),
    [["slow", "completed", decisions[0]?.event.id]],
  );
});
