import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { firstTurn } from "../../../src/engine/event.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { temporaryFolder } from "../../actions/context.ts";
import { codeCache, runCommand } from "../../program.ts";

test("[A45] runs show prints what an automation's run gathered, sent, got and did, for people and as JSON", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "store.db");
  const store = openSqliteStore({ path });
  const event = {
    id: "event-1",
    name: "task.failed",
    at: 0,
    cwd: folder,
    data: { task_id: "t1" },
    sender: "x",
  } as const;
  store.record(event, { id: "set", hooks: [] }, () => firstTurn);
  store.saveRun({
    id: "0123456789ab",
    hook: "automation:shop/nightly",
    hookName: "Nightly look",
    eventId: event.id,
    eventName: event.name,
    status: "completed",
    cause: "event:task.failed",
    startedAt: Date.now(),
    ms: 1_000,
    steps: [
      { uses: "context_shell", ok: true, output: { stdout: "two", _step_index: 0 }, ms: 1 },
      {
        uses: "ask_model",
        ok: true,
        output: {
          prompt: "first line\nsecond line",
          response: "It is fixed.",
          actions: ["read_file", "hookline.emit"],
        },
        ms: 1,
        tokens: 150,
      },
    ],
    notes: [],
    asked: 1,
  });
  store.close();
  const environment = {
    NODE_COMPILE_CACHE: codeCache,
    PATH: process.env.PATH ?? "",
    HOME: join(folder, "home"),
    HOOKLINE_STORE: path,
  };
  const hookline = (...words: string[]): string => runCommand(words, { cwd: folder, environment }).stdout;
  const shown = hookline("runs", "show", "0123456789ab");
  assert.match(shown, /^trigger +event:task\.failed$/m);
  assert.match(shown, /^event +\{"task_id":"t1"\}$/m);
  assert.match(shown, /^prompt +first line\n +second line$/m);
  assert.match(shown, /^response +It is fixed\.$/m);
  assert.match(shown, /^called +read_file → hookline\.emit$/m);
  assert.match(shown, /^tokens +150$/m);
  const { automation } = JSON.parse(hookline("runs", "show", "0123456789ab", "--json"));
  assert.deepEqual(
    [automation.hook_id, automation.project_id, automation.llm_response, automation.tokens_used],
    ["nightly", "shop", "It is fixed.", 150],
  );
  assert.deepEqual(automation.context_results, [{ stdout: "two", _step_index: 0 }]);
});
