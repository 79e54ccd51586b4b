/** Automations that change what each other watches; watch-loops.test.ts has one that feeds itself, and one by way of an event. */
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hosted, token } from "./hosted.ts";
import { failed, linesOf, rounds, watching } from "./loops.ts";
import { automation, placeFor, until } from "./started.ts";

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

/** Sends an event to the daemon whose port stands in a file, by a door that does not know who sends it. For bash. */
function posting(event: string): string {
  const body = JSON.stringify({ event });
  const head = [
    "POST /events HTTP/1.1",
    "host: 127.0.0.1:$(cat port)",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "connection: close",
  ];
  return `exec 3<>/dev/tcp/127.0.0.1/$(cat port)\nprintf '%s\\r\\n' ${head.map((line) => `"${line}"`).join(" ")} "" >&3\nprintf %s '${body}' >&3\ncat <&3 >/dev/null\n`;
}

test("a watch whose run sends an event whose run changes the watched file stops as well, by whatever door the event comes", async (t) => {
  const place = placeFor(t, {
    "workspace/ping": "",
    "workspace/post.sh": posting("pong.sent"),
    "workspace/.hookline/automations/a.yaml": watching("Ping", "ping", "bash post.sh"),
    "workspace/.hookline/automations/b.yaml": automation(
      "Pong",
      "type: event, event_type: pong.sent",
      "echo line >> ping",
    ),
  });
  const daemon = await hosted(place);
  writeFileSync(join(place.workspace, "port"), String(daemon.port));
  appendFileSync(join(place.workspace, "ping"), "by hand\n");
  await until(() => failed(place).length === 1, "the loop is known");
  assert.match(failed(place)[0] ?? "", /^a loop, as it seems: .* runs of "Ping" and "Pong", /);
  assert.equal(linesOf(place, "ping"), 11);
  await daemon.close();
});
