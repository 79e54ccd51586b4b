/** hookline runs cancel, on one machine: what an automation's run does ends, and so does one that waits. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { automation, placeFor, until } from "../daemon/started.ts";

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
