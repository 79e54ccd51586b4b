/** Automations that change what they watch: after ten rounds they stop, and say so. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hosted } from "./hosted.ts";
import { failed, linesOf, rounds, watching } from "./loops.ts";
import { placeFor, until } from "./started.ts";

test("a watch that feeds itself stops after ten rounds with a failure that names the loop, and hears of the next change", async (t) => {
  const place = placeFor(t, {
    "workspace/log": "",
    "workspace/.hookline/automations/a.yaml": watching("Again", "log", "echo line >> log"),
  });
  const daemon = await hosted(place);
  appendFileSync(join(place.workspace, "log"), "by hand\n");
  await until(() => failed(place).length === 1, "the loop is known");
  assert.equal(rounds(place), 10);
  assert.equal(linesOf(place, "log"), 11);
  assert.match(
    failed(place)[0] ?? "",
    /^a loop, as it seems: .*log was changed during each of the last 10 runs of "Again", and not in the pause before the last one, so this one is left out — /,
  );
  await until(() => {
    appendFileSync(join(place.workspace, "log"), "by hand\n");
    return rounds(place) > 10;
  }, "a later change is heard again");
  await daemon.close();
});

test("an event that a hook's program sends by HTTP with its depth is refused where hooks answer each other without end", async (t) => {
  const place = placeFor(t);
  const daemon = await hosted(place);
  const send = (depth: unknown) => daemon.call("/events", { body: { event: "a.loop", depth } });
  assert.equal((await send(5)).status, 200);
  for (const depth of [6, -1, 0.5, "1"]) {
    const { status, body } = await send(depth);
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /hooks answer each other without end/);
  }
  await daemon.close();
});
