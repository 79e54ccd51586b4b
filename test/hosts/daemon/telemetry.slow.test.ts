/** What daemons send as they are started by clients and by people, with the settings that change meanwhile; telemetry.test.ts has what they send. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startCollector } from "../../services/telemetry/collector.ts";
import { placeFor, until } from "./started.ts";

test("a daemon that a client has started follows the person's file and no variables, and one that a person starts goes by both", async (t) => {
  const collector = await startCollector(t);
  const place = placeFor(t);
  place.environment.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  const daemon = await place.up("--on-demand");
  await daemon.emit("build.finished");
  assert.equal((await daemon.call("/status")).body.telemetry, null);
  place.write("home/.config/hookline/config.yaml", `telemetry: { endpoint: "${collector.url}", signals: [traces] }\n`);
  await until(
    async () => (await daemon.call("/status")).body.telemetry ?? undefined,
    "that it follows the person's file",
  );
  assert.equal(collector.connections, 0, "what was before is not sent");
  place.write("home/.config/hookline/config.yaml", "");
  const own = await place.up();
  await own.emit("build.finished");
  assert.match(
    place.hookline("status").stdout,
    /^otlp +traces and metrics to http:\/\/127\.0\.0\.1:\d+; \d+ spans sent$/m,
  );
  assert.equal(await own.stop(), 0);
  const sent = new Set(collector.spans.map(({ name }) => name)); // what is answered late is sent again
  assert.deepEqual([...sent], ["build.finished"]);
});

test("a daemon that a client has started goes by the person's file and not by variables: a project may have set them for the agent", async (t) => {
  const collector = await startCollector(t);
  const place = placeFor(t);
  place.environment.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  const daemon = await place.up("--on-demand");
  await daemon.emit("build.finished");
  assert.equal((await daemon.call("/status")).body.telemetry, null);
  assert.equal(collector.connections, 0);
});
