/** What becomes of spans while a collector takes them, refuses them, or is away. Time is the test's own. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { HookEvent } from "../../../src/engine/event.ts";
import { createMeasures } from "../../../src/services/telemetry/measures.ts";
import { openOtlp } from "../../../src/services/telemetry/otlp/index.ts";
import { targetOf } from "../../../src/services/telemetry/otlp/target.ts";
import { createFakeClock } from "../../../testing/clock.ts";
import { closedAddress } from "../notify/server.ts";
import { type Collector, startCollector } from "./collector.ts";

const event = (id: string): HookEvent => ({ id, name: "a.b", at: 0, cwd: "/", data: {}, sender: "test" });

function sendingTo(endpoint: string, signal: "traces" | "metrics" = "traces") {
  const clock = createFakeClock();
  const measures = createMeasures();
  const count = measures.counter({ name: "hookline.tests", help: "" }, []);
  const said: string[] = [];
  const otlp = openOtlp({
    ...clock,
    target: targetOf({ settings: { endpoint, signals: [signal] }, environment: {}, variables: {} }),
    ...{ version: "1", instance: "i", since: clock.now(), interval: 60, measures: measures.read },
    complain: (reason) => said.push(reason.replaceAll(endpoint, "COLLECTOR")),
  });
  let next = 0;
  const decide = (count: number): void => {
    for (let left = count; left > 0; left--)
      otlp.decided({ event: event(`e${++next}`), outcome: {}, ms: 1, at: clock.now(), runs: [] });
  };
  const spans = (): object => otlp.facts().spans as object;
  return { clock, said, otlp, decide, spans, count: () => count([]) };
}
async function collecting(t: TestContext): Promise<ReturnType<typeof sendingTo> & { collector: Collector }> {
  const collector = await startCollector(t);
  return { collector, ...sendingTo(collector.url) };
}
/** Until the answer has been read. */
async function settled(look: () => boolean): Promise<void> {
  while (!look()) await new Promise(setImmediate);
}

test("spans are gathered for five seconds and sent together", async (t) => {
  const { collector, clock, decide, otlp, said } = await collecting(t);
  decide(3);
  clock.advance(4_999);
  assert.equal(collector.connections, 0);
  clock.advance(1);
  await collector.arrived(1);
  assert.equal(collector.spans.length, 3);
  await otlp.close();
  assert.deepEqual(said, []);
});

test("a collector that is busy gets the same spans again after the pause that it asks for, and is reported once", async (t) => {
  const { collector, clock, decide, otlp, said } = await collecting(t);
  collector.answers.push({ status: 503, headers: { "retry-after": "30" } }, { status: 429 });
  decide(2);
  clock.advance(5_000);
  await settled(() => said.length === 1);
  clock.advance(29_999);
  assert.equal(collector.requests.length, 1);
  clock.advance(1);
  await collector.arrived(2);
  assert.equal(collector.requests[1]?.text, collector.requests[0]?.text);
  await settled(() => otlp.facts().trouble === "it answered 429");
  clock.advance(2_000);
  await settled(() => said.length === 2);
  assert.deepEqual(said, [
    "telemetry: COLLECTOR takes no spans: it answered 503; up to 2048 wait in memory",
    "telemetry: COLLECTOR takes spans again",
  ]);
  assert.equal(collector.spans.length, 2);
  await otlp.close();
});

test("what a collector refuses is counted as lost, and what it takes of a batch is not", async (t) => {
  const { collector, clock, decide, otlp, spans } = await collecting(t);
  const partialSuccess = { rejectedSpans: "2", errorMessage: "too old" };
  collector.answers.push({ status: 400 }, { status: 200, body: { partialSuccess } });
  decide(4);
  clock.advance(5_000);
  await settled(() => otlp.facts().trouble === "it answered 400");
  assert.deepEqual(spans(), { sent: 0, lost: 4, waiting: 0 });
  decide(3);
  clock.advance(5_000);
  await settled(() => otlp.facts().trouble === "too old");
  assert.deepEqual(spans(), { sent: 1, lost: 6, waiting: 0 });
  await otlp.close();
});

test("while nobody listens, so many spans wait and the others are counted; the end says how many were not sent", async () => {
  const { clock, decide, otlp, said, spans } = sendingTo(await closedAddress());
  decide(1);
  clock.advance(5_000);
  await settled(() => said.length > 0);
  decide(2_500);
  assert.deepEqual(spans(), { sent: 0, lost: 453, waiting: 2_048 });
  await otlp.close();
  assert.deepEqual(said, [
    "telemetry: COLLECTOR takes no spans: it cannot be reached (ECONNREFUSED); up to 2048 wait in memory",
    "telemetry: COLLECTOR did not get the last 2048 spans: it cannot be reached (ECONNREFUSED)",
  ]);
});

test("a collector that never answers holds the end up for two seconds and no longer", async (t) => {
  const { collector, clock, decide, otlp, said, spans } = await collecting(t);
  collector.answers.push("hang");
  decide(2);
  const closing = otlp.close();
  await collector.arrived(1);
  clock.advance(2_000);
  await closing;
  assert.deepEqual(spans(), { sent: 0, lost: 2, waiting: 0 });
  assert.equal(said.length, 1);
});

test("metrics are sent each minute and at the end, as sums: one that was not taken is in the next", async (t) => {
  const collector = await startCollector(t);
  const { clock, said, otlp, count } = sendingTo(collector.url, "metrics");
  const seen = (): unknown => collector.metrics.get("hookline.tests")?.points[0]?.value;
  collector.answers.push({ status: 503 });
  count();
  clock.advance(60_000);
  await settled(() => said.length === 1);
  assert.equal(seen(), undefined);
  count();
  clock.advance(60_000);
  await settled(() => said.length === 2);
  assert.equal(seen(), 2);
  count();
  await otlp.close();
  assert.equal(seen(), 3);
  assert.deepEqual(said, [
    "telemetry: COLLECTOR takes no metrics: it answered 503; the next ones hold the same sums",
    "telemetry: COLLECTOR takes metrics again",
  ]);
});

test("no redirect is followed: it would carry the headers elsewhere", async (t) => {
  const other = await startCollector(t);
  const { collector, decide, otlp, spans } = await collecting(t);
  collector.answers.push({ status: 307, headers: { location: other.url } });
  decide(1);
  await otlp.close();
  assert.deepEqual(spans(), { sent: 0, lost: 1, waiting: 0 });
  assert.equal(other.connections, 0);
});

test("OpenTelemetry's variables say where to, what with and under which name", () => {
  const target = (variables: Record<string, string>, settings = {}) => {
    const { traces, metrics, headers, resource } = targetOf({ settings, environment: { KEY: "k" }, variables });
    return [traces?.href, metrics?.href, headers, resource];
  };
  const endpoint = "http://localhost:4318/base/";
  assert.deepEqual(
    target({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, x=1",
      OTEL_SERVICE_NAME: "guards",
      OTEL_RESOURCE_ATTRIBUTES: "team=core,service.name=other",
    }),
    [
      "http://localhost:4318/base/v1/traces",
      "http://localhost:4318/base/v1/metrics",
      { "api-key": "a b", x: "1" },
      { team: "core", "service.name": "guards" },
    ],
  );
  assert.deepEqual(
    target({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces:1/in",
      OTEL_METRICS_EXPORTER: "none",
    }),
    ["http://traces:1/in", undefined, {}, { "service.name": "hookline" }],
  );
  const file = { endpoint: "https://c.example", headers: { a: "${KEY}" }, signals: ["metrics"], service_name: "mine" };
  assert.deepEqual(
    target(
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: "key=secret", OTEL_SERVICE_NAME: "x" },
      file,
    ),
    [undefined, "https://c.example/v1/metrics", { a: "k" }, { "service.name": "mine" }],
    "a file's address gets none of their headers",
  );
  for (const [variables, settings, said] of [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, {}, /over HTTP/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, {}, /OTEL_EXPORTER_OTLP_ENDPOINT is/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: "nonsense" },
      {},
      /OTEL_EXPORTER_OTLP_HEADERS is a list/,
    ],
    [{}, { endpoint, headers: { a: "${NONE}" } }, /the variable NONE is not set/],
    [{}, { endpoint: "https://me:secret@c.example" }, /^(?!.*secret).*send it as a header/],
  ] as const)
    assert.throws(
      () => target(variables, settings),
      (error: Error) => said.test(error.message),
    );
});
