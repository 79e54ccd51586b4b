import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createEngine } from "../../../src/engine/engine.ts";
import type { Ports } from "../../../src/engine/ports.ts";
import { emptyConfig } from "../../../src/formats/config/config.ts";
import { createExternalServices } from "../../../src/hosts/compose/external-services.ts";
import { startPipedProcess } from "../../../src/runtime/processes/piped-process.ts";
import { createInlineQueue } from "../../../src/runtime/queues/inline.ts";
import { openMemoryStore } from "../../../src/storage/memory/memory.ts";
import { temporaryFolder } from "../../actions/context.ts";
import { runCommand } from "../../program.ts";

/** What the command prints, in a folder of its own. */
function commandIn(context: TestContext): { folder: string; hookline(...words: string[]): string } {
  const home = temporaryFolder(context);
  const folder = join(home, "code", "app");
  mkdirSync(folder, { recursive: true });
  const environment = { PATH: process.env.PATH ?? "", HOME: home, HOOKLINE_DAEMON: "off" };
  return {
    folder,
    hookline: (...words) => runCommand(words, { cwd: folder, environment }).stdout,
  };
}

test("[A10, A35] the command makes a task, and an automation that waits for its failure makes the next", async (context) => {
  const { folder, hookline } = commandIn(context);
  mkdirSync(join(folder, ".hookline", "automations"), { recursive: true });
  const automation = {
    id: "follow-up",
    name: "Follow up",
    trigger: { type: "event", event_type: "task.failed", skip_llm: true },
    cooldown_seconds: 0,
    context_steps: [
      { type: "memory_search", query: "{{event.error}}" },
      {
        type: "create_task",
        title_template: "After {{event.title}}: {{step_0.count}}",
        parent_task_id: "{{event.task_id}}",
      },
    ],
  };
  writeFileSync(join(folder, ".hookline", "automations", "follow-up.yaml"), JSON.stringify(automation));
  assert.match(hookline("task", "create", "Deploy"), /^created the project app for /);
  hookline("memory", "add", "access is given by the platform team");
  const [task] = JSON.parse(hookline("task", "list", "--json"));
  hookline("task", "fail", task.id, "no access");
  const tasks: { title: string; status: string }[] = JSON.parse(hookline("task", "list", "--json"));
  assert.deepEqual(
    tasks.map(({ title, status }) => [title, status]),
    [
      ["After Deploy: 1", "DEFINED"],
      ["Deploy", "FAILED"],
    ],
  );
});

test("a line whose store is no SQLite remembers nothing, and says what projects need", async () => {
  const store = openMemoryStore();
  const outside = createExternalServices({
    start: startPipedProcess,
    environment: {},
    home: "/nobody",
    root: () => "/nobody",
    settings: () => ({ config: emptyConfig, userConfig: emptyConfig, settingsBound: {} }),
    changesOf: async () => ({ unknown: "not asked" }),
  });
  const hooks = { id: "none", hooks: [] };
  const engine = createEngine({ store, queue: createInlineQueue(), hooks: () => hooks } as unknown as Ports); // no event is sent
  outside.serve({ engine, store, active: () => ({ set: hooks }), cwd: "/", now: Date.now, id: () => "id" });
  assert.equal(await outside.board(), undefined);
  const projects = await outside.ports.projects?.();
  assert.deepEqual(await projects?.searchMemory({ query: "x", limit: 1 }, new AbortController().signal), []);
  assert.throws(() => projects?.query("failed_tasks", {}), /kept in SQLite/);
  await outside.close();
});
