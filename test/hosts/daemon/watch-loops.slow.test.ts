/** Automations that change what each other watches; watch-loops.test.ts has one that feeds itself, and one by way of an event. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hosted } from "./hosted.ts";
import { failed, rounds, watching } from "./loops.ts";
import { placeFor, until } from "./started.ts";

test("two watches that feed each other stop as well, and the failure names both", async (t) => {
  const place = placeFor(t, {
    ...{ "workspace/ping": "", "workspace/pong": "" },
    "workspace/.hookline/automations/a.yaml": watching("Ping", "ping", "echo line >> pong"),
    "workspace/.hookline/automations/b.yaml": watching("Pong", "pong", "echo line >> ping"),
  });
  const daemon = await hosted(place);
  appendFileSync(join(place.workspace, "ping"), "by hand\n");
  await until(() => failed(place).length === 1, "the loop is known");
  assert.equal(rounds(place), 10);
  assert.match(failed(place)[0] ?? "", /^a loop, as it seems: .* runs of "Ping" and "Pong", /);
  await daemon.close();
});
