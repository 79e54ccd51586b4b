/** hookline up where it cannot start, or may beside another, and down while something runs; up-down.test.ts has what people usually see. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { automation, placeFor, until } from "./started.ts";

test("up --once names the running daemon too, and another store may have a daemon at the same time", async (t) => {
  const place = placeFor(t);
  await place.up();
  assert.match(place.hookline("up", "--once").stderr, /running already/);
  const elsewhere = place.hookline("up", "--once", "--store", join(place.folder, "other.db"));
  assert.equal(elsewhere.status, 0, elsewhere.stderr);
});

test("a taken port is reported", async (t) => {
  const place = placeFor(t);
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const address = server.address();
  const taken = place.hookline("up", "--port", String(typeof address === "object" ? address?.port : ""));
  assert.equal(taken.status, 3);
  assert.match(
    taken.stderr,
    /the port cannot be used: another program listens there — 127\.0\.0\.1:\d+ — choose another/,
  );
});

test("an impossible port and a folder that does not exist are reported, and a start that failed holds nothing", (t) => {
  const place = placeFor(t);
  assert.equal(place.hookline("up", "--port", "65536").status, 2);
  assert.equal(place.hookline("up", "--workspace", "nowhere").status, 2);
  assert.equal(place.hookline("up", "--once").status, 0);
});

test("[A50] down waits at most ten seconds; the run goes back to the queue, and the next start ends it", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/slow.yaml": automation(
      "Slow",
      "type: event, event_type: build.finished",
      "echo begun >> log; test -e go || sleep 1000",
    ),
  });
  const daemon = await place.up();
  await daemon.emit("build.finished");
  await until(() => place.has("workspace/log"), "the step begins");
  assert.equal(place.hookline("down").status, 0); // the step would go on for longer than a test may
  assert.deepEqual(
    place.runs().map(({ status }) => status),
    ["queued"],
  );
  place.write("workspace/go", "");
  assert.equal(place.hookline("up", "--once").status, 0);
  assert.deepEqual(
    place.runs().map(({ status }) => status),
    ["completed"],
  );
});

test("--once does what is due and queued, and exits", async (t) => {
  const place = placeFor(t, {
    "workspace/.hookline/automations/often.yaml": automation(
      "Often",
      "type: periodic, interval_seconds: 3600",
      "echo ran >> log",
    ),
  });
  assert.equal(place.hookline("up", "--once").status, 0);
  assert.equal(place.hookline("up", "--once").status, 0);
  assert.equal(place.read("workspace/log"), "ran\n");
  assert.deepEqual(
    place.runs().map(({ status, cause }) => [status, cause]),
    [["completed", "periodic"]],
  );
});
