/** What hookline list --slow says, by the real command, of runs that a store holds. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { advance } from "../../../src/engine/events.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { codeCache, runCommand } from "../../program.ts";
import { anEvent, aRun, noHooks } from "../../storage/contract.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

function place(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries({ ...files, "home/none": "" })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    XDG_STATE_HOME: join(folder, "state"),
    HOOKLINE_DAEMON: "off",
  };
  const where = { cwd: join(folder, "workspace"), environment };
  return {
    store: () => openSqliteStore({ path: join(folder, "state", "hookline", "hookline.db") }),
    hookline: (...words: string[]): string => runCommand(words, where).stdout,
  };
}

test("the slowest hook comes first, with its percentiles, its share of the budget and what it costs a session", async (t) => {
  const hook = (name: string, timeout: number) => ({ type: "command", command: `: ${name}`, name, timeout });
  const world = place(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook("quick", 60), hook("slow", 2), hook("never", 60)] }] },
    }),
    "workspace/hookline.yaml": "budgets: { events: { PreToolUse: 400 } }\n",
  });
  const [quick, slow] = JSON.parse(world.hookline("list", "--json"));
  const path = world.hookline("runs", "--json") && world.store();
  if (typeof path === "string") throw new Error("no store");
  const now = Date.now();
  for (const [id, times] of [
    [quick.id, [4, 5, 6]],
    [slow.id, [900, 1_100, 1_200]],
  ] as const)
    for (const ms of times) path.saveRun(aRun({ hook: id, ms, startedAt: now, session: "s" }));
  const event = anEvent({ at: now });
  path.record(event, noHooks, advance);
  path.answered(event.id, {}, 1_210);
  path.close();
  const rows = JSON.parse(world.hookline("list", "--slow", "--json"));
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
  const printed = world.hookline("list", "--slow");
  assert.match(printed, /^slow .* 3 +1100 ms +1200 ms \(times out after 2 s\) +300 %/m);
  assert.match(printed, /^PreToolUse +1 +1210 ms +1210 ms +303 %/m);
});
