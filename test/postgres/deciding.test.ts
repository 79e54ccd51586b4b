/** What an agent waits for never waits for Postgres. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { halt } from "./halt.ts";
import { makeMachine } from "./machine.ts";
import { database, type Prepared } from "./prepared.ts";
import { startShared } from "./shared-world.ts";

let cluster: Prepared;
before(async () => {
  cluster = await startShared();
});
after(() => cluster.close());

/** Two events for each. To wait so often until Postgres is given up, which takes ten seconds and more, takes longer than a test may. */
const halts = 15;

const automation = `name: Remember
trigger: { type: event, event_type: PreToolUse }
cooldown_seconds: 0
overlap: coalesce
context_steps:
  - { type: shell, command: echo remembered }
`;

test("[R72] a tool call is decided while Postgres stands still, which goes on only after the answer; the automation that it sets off is performed later", async (context) => {
  const { workspace, folder, up } = makeMachine(context);
  mkdirSync(join(workspace, ".hookline", "automations"));
  writeFileSync(join(workspace, ".hookline", "automations", "remember.yaml"), automation);
  const daemon = await up("--store", cluster.store);
  const { token } = JSON.parse(readFileSync(join(folder, "state", "hookline", "daemon.json"), "utf8"));
  async function decide(command: string): Promise<string> {
    const payload = { session_id: "s", cwd: workspace, hook_event_name: "PreToolUse", tool_name: "Bash" };
    const answer = await fetch(`http://127.0.0.1:${daemon.port}/hook/claude-code?event=PreToolUse`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ ...payload, tool_input: { command } }),
    });
    assert.equal(answer.status, 200);
    return answer.text();
  }
  for (let turn = 0; turn < halts; turn++) {
    const goOn = halt(cluster);
    try {
      assert.doesNotMatch(await decide("ls"), /nothing is removed here/);
      assert.match(await decide("rm x"), /nothing is removed here/);
    } finally {
      goOn();
    }
  }
  const ends = "select status from hookline.run where hook_name = 'Remember' and status not in ('queued', 'running')";
  for (;;) {
    const statuses = cluster.sql(ends, database).split("\n");
    if (statuses.length === 2 * halts) {
      assert.ok(statuses.every((status) => status === "completed" || status === "skipped"));
      assert.ok(statuses.includes("completed"));
      return;
    }
    await pause(50);
  }
});
