/** The end of a daemon that has every reason to be late. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { goes } from "../../runtime/processes/gone.ts";
import { automation, placeFor, until } from "./started.ts";

test("[A50] asked twice to end, with a program that does not obey, a client that hangs and one that is halfway: after ten seconds nothing is left", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/deaf.yaml": automation(
      "Deaf",
      "type: event, event_type: build.finished",
      "trap '' TERM; echo $$ > begun; while :; do sleep 1; done",
    ),
  });
  const daemon = await place.up();
  const state = place.state;
  const silent = connect(daemon.port, "127.0.0.1");
  const half = connect(daemon.port, "127.0.0.1");
  t.after(() => {
    for (const socket of [silent, half]) socket.destroy();
  });
  for (const socket of [silent, half]) socket.on("error", () => {}); // that it is closed is what is wanted
  await once(silent, "connect");
  half.write(`POST /events HTTP/1.1\r\nhost: 127.0.0.1:${daemon.port}\r\nauthorization: Bearer ${daemon.token}\r\n`);
  half.write('content-type: application/json\r\ncontent-length: 100\r\n\r\n{"event":');
  await daemon.emit("build.finished");
  const begun = join(place.workspace, "begun");
  await until(() => existsSync(begun) && readFileSync(begun, "utf8") !== "", "the step begins");
  const exit = once(daemon.child, "exit");
  daemon.child.kill("SIGTERM");
  await until(() => JSON.parse(readFileSync(join(state, "daemon.json"), "utf8")).phase === "ending", "it is ending");
  assert.ok(!existsSync(join(state, "daemon.address")));
  daemon.child.kill("SIGTERM");
  assert.deepEqual(await exit, [0, null]);
  assert.ok(await goes(Number(readFileSync(begun, "utf8"))));
  assert.deepEqual(
    readdirSync(state).filter((name) => /^daemon\.(json|address|sock)/.test(name)),
    [],
  );
  assert.deepEqual(
    place.runs().map(({ status }) => status),
    ["queued"],
  );
});
