/** What hookline list --slow says, by the real command, of runs that a store holds. */
import assert from "node:assert/strict";
import test from "node:test";
import { advance } from "../../../src/engine/events.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { anEvent, aRun, noHooks } from "../../storage/contract.ts";
import { world } from "../../world.ts";

test("the slowest hook comes first, with its percentiles, its share of the budget and what it costs a session", async (t) => {
  const hook = (name: string, timeout: number) => ({ type: "command", command: `: ${name}`, name, timeout });
  const { hookline, json, store } = world(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook("quick", 60), hook("slow", 2), hook("never", 60)] }] },
    }),
    "workspace/hookline.yaml": "budgets: { events: { PreToolUse: 400 } }\n",
  });
  const [quick, slow] = json("list");
  hookline("runs");
  const opened = openSqliteStore({ path: store });
  const now = Date.now();
  for (const [id, times] of [
    [quick.id, [4, 5, 6]],
    [slow.id, [900, 1_100, 1_200]],
  ] as const)
    for (const ms of times) opened.saveRun(aRun({ hook: id, ms, startedAt: now, session: "s" }));
  const event = anEvent({ at: now });
  opened.record(event, noHooks, advance);
  opened.answered(event.id, {}, 1_210);
  opened.close();
  const rows = json("list", "--slow");
  assert.deepEqual(
    rows.map(({ name }: { name: string }) => name),
    ["slow", "quick", "never"],
  );
  const { timed, p50Ms, p95Ms, budgetMs, shareOfBudget, perSessionMs, nearlyTooSlow, decisions } = rows[0];
  assert.deepEqual(
    { timed, p50Ms, p95Ms, budgetMs, shareOfBudget, perSessionMs, nearlyTooSlow },
    { timed: 3, p50Ms: 1_100, p95Ms: 1_200, budgetMs: 400, shareOfBudget: 3, perSessionMs: 3_200, nearlyTooSlow: true },
  );
  assert.deepEqual(decisions, [{ event: "PreToolUse", count: 1, p50Ms: 1_210, p95Ms: 1_210, budgetMs: 400 }]);
  assert.deepEqual([rows[1].nearlyTooSlow, rows[2].timed, rows[2].p95Ms], [false, 0, null]);
  const printed = hookline("list", "--slow").stdout;
  assert.match(printed, /^slow .* 3 +1100 ms +1200 ms \(times out after 2 s\) +300 %/m);
  assert.match(printed, /^PreToolUse +1 +1210 ms +1210 ms +303 %/m);
});
