/** Automations that change what they watch: after ten rounds they stop, and say so. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hosted } from "./hosted.ts";
import { automation, type Place, placeFor, until } from "./started.ts";

const watching = (name: string, file: string, line: string): string =>
  automation(name, `type: event, event_type: file.changed, watch: { paths: [${file}] }`, line);

const failed = (place: Place): string[] =>
  place.runs().flatMap(({ status, reason }) => (status === "failed" ? [String(reason)] : []));
const rounds = (place: Place): number => place.runs().filter(({ status }) => status === "completed").length;
const linesOf = (place: Place, file: string): number =>
  readFileSync(join(place.workspace, file), "utf8").split("\n").length - 1;

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
    /^a loop: "Again" sets itself off: .*log was changed during each of the last 10 runs, so this one is left out — /,
  );
  await until(() => {
    appendFileSync(join(place.workspace, "log"), "by hand\n");
    return rounds(place) > 10;
  }, "a later change is heard again");
  await daemon.close();
});

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
  assert.match(failed(place)[0] ?? "", /^a loop: "Ping" and "Pong" set each other off: /);
  await daemon.close();
});
