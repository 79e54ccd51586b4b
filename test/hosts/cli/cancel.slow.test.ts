/** hookline runs cancel of what cannot be cancelled; cancel.test.ts has what can. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { placeFor, until } from "../daemon/started.ts";

test("a run that waits in no queue, such as that of an asynchronous hook, is not cancelled, and the command says so", async (t) => {
  const line = "touch ../begun; while [ ! -e ../go ]; do sleep 0.05; done";
  const place = placeFor(t, {
    "workspace/.hookline/hooks.json": JSON.stringify({
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: line, async: true }] }] },
    }),
  });
  const daemon = await place.up();
  const call = {
    hook_event_name: "PreToolUse",
    session_id: "s",
    cwd: place.workspace,
    tool_name: "Bash",
    tool_input: {},
  };
  assert.equal(place.hooklineWith(JSON.stringify(call), "hook", "claude-code", "--event", "PreToolUse").status, 0);
  await until(() => place.has("begun"), "the hook has begun");
  const [run] = place.runs();
  assert.equal(run?.status, "running");
  const refused = place.hookline("runs", "cancel", run?.id ?? "");
  assert.equal(refused.status, 1);
  assert.match(
    refused.stderr,
    /cannot be cancelled: it waits in no queue, as runs of automations do — end the process/,
  );
  place.write("go", "");
  await until(() => place.runs()[0]?.status === "completed", "the hook has ended");
  assert.equal(await daemon.stop(), 0);
});
