/** hookline runs cancel, on one machine: what an automation's run does ends, so does one that waits, and others cannot be cancelled. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { automation, placeFor, until } from "../daemon/started.ts";

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

test("a run of an automation that is performed, one that waits, and none that has ended or that nobody has queued, can be cancelled", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/slow.yaml": automation(
      "Slow",
      "type: event, event_type: deploy.done",
      "echo $$ >> ../begun; sleep 3600",
      "overlap: queue\n",
    ),
  });
  const begun = join(place.folder, "begun");
  const pids = (): string[] => (existsSync(begun) ? readFileSync(begun, "utf8").split("\n").filter(Boolean) : []);
  const daemon = await place.up();
  for (let turn = 0; turn < 2; turn++) assert.equal((await daemon.emit("deploy.done")).status, 200);
  await until(() => pids().length === 1, "the first has begun");
  const named = (status: string): string =>
    place.runs().find((run) => run.status === status)?.id ?? assert.fail(JSON.stringify(place.runs()));
  const [running, queued] = [named("running"), named("queued")];
  assert.doesNotMatch(
    place.hookline("runs", "--all").stdout,
    /no decision/,
    "what has not ended has decided nothing yet",
  );
  assert.match(place.hookline("why", running).stdout, /It is running\./);

  const waits = place.hookline("runs", "cancel", queued, "--json");
  assert.equal(waits.status, 0, waits.stderr);
  assert.deepEqual(JSON.parse(waits.stdout), {
    ...{ run: queued, status: "skipped", reason: "cancelled before it started" },
  });
  const ends = place.hookline("runs", "cancel", running.slice(0, 20));
  assert.equal(ends.status, 0, ends.stderr);
  assert.match(ends.stdout, /the run \S+ of Slow is (?:cancelled|told to end)/);
  await until(() => place.runs().find(({ id }) => id === running)?.status === "cancelled", "it is cancelled");
  assert.throws(() => process.kill(Number(pids()[0])), "what it had started is gone");
  assert.equal(pids().length, 1, "the one that waited has not run");

  assert.match(place.hookline("runs", "show", running).stdout, /^status +cancelled$/m);
  const again = place.hookline("runs", "cancel", running);
  assert.equal(again.status, 1);
  assert.match(again.stderr, /has ended already: cancelled — see `hookline runs show/);
  assert.match(place.hookline("runs", "cancel").stderr, /missing argument RUN/);
  assert.match(place.hookline("runs", "cancel", "nosuch").stderr, /no run or event is called "nosuch"/);
  assert.equal(await daemon.stop(), 0);
});
