/** A collector on loopback that reads OTLP in JSON as its definition has it, and refuses everything else. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { TestContext } from "node:test";

export interface Span {
  trace: string;
  id: string;
  parent: string | undefined;
  name: string;
  kind: number;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  attributes: Record<string, unknown>;
  failure: string | undefined;
}
export interface Point {
  attributes: Record<string, unknown>;
  value: number;
}
interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: object;
}
export interface Collector {
  url: string;
  spans: Span[];
  /** The last values, by the metric's name. */
  metrics: Map<string, { kind: string; points: Point[] }>;
  resources: Record<string, unknown>[];
  requests: { path: string; headers: IncomingHttpHeaders; text: string }[];
  connections: number;
  /** How the next requests are answered instead of being taken. */
  answers: (Answer | "hang")[];
  /** Resolves once so many requests have come. */
  arrived(count: number): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: it is what arrived, and each member is looked at
type Arrived = any;

export async function startCollector(context: TestContext): Promise<Collector> {
  const waiting: { count: number; resolve(): void }[] = [];
  const collector: Collector = {
    ...{ url: "", spans: [], metrics: new Map(), resources: [], requests: [], connections: 0, answers: [] },
    arrived: (count) =>
      new Promise((resolve) => {
        if (collector.requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const path = request.url ?? "";
    collector.requests.push({ path, headers: request.headers, text });
    const answer = collector.answers.shift();
    if (answer !== "hang") {
      const { status, headers = {}, body } = answer ?? take(collector, path, request.headers, text);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(body ?? {}));
    }
    for (const one of waiting.filter(({ count }) => collector.requests.length >= count)) one.resolve();
  });
  server.on("connection", () => {
    collector.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address);
  collector.url = `http://127.0.0.1:${address.port}`;
  return collector;
}

function take(collector: Collector, path: string, headers: IncomingHttpHeaders, text: string): Answer {
  try {
    assert.equal(headers["content-type"], "application/json");
    const body: Arrived = JSON.parse(text);
    if (path.endsWith("/v1/traces")) for (const one of body.resourceSpans) takeSpans(collector, one);
    else if (path.endsWith("/v1/metrics")) for (const one of body.resourceMetrics) takeMetrics(collector, one);
    else assert.fail(`nothing is sent to ${path}`);
    return { status: 200 };
  } catch (error) {
    return { status: 400, body: { message: String(error) } };
  }
}

function takeSpans(collector: Collector, { resource, scopeSpans }: Arrived): void {
  collector.resources.push(attributesIn(resource.attributes));
  for (const { scope, spans } of scopeSpans) {
    assert.equal(scope.name, "hookline");
    for (const span of spans) collector.spans.push(spanIn(span));
  }
}

function spanIn(span: Arrived): Span {
  assert.match(span.traceId, /^[0-9a-f]{32}$/);
  assert.match(span.spanId, /^[0-9a-f]{16}$/);
  if (span.parentSpanId !== undefined) assert.match(span.parentSpanId, /^[0-9a-f]{16}$/);
  assert.ok(typeof span.name === "string" && span.name !== "");
  return {
    ...{ trace: span.traceId, id: span.spanId, parent: span.parentSpanId, name: span.name, kind: span.kind },
    ...{ from: millisecondsIn(span.startTimeUnixNano), to: millisecondsIn(span.endTimeUnixNano) },
    attributes: attributesIn(span.attributes),
    failure: span.status.code === 2 ? span.status.message : undefined,
  };
}

function takeMetrics(collector: Collector, { resource, scopeMetrics }: Arrived): void {
  collector.resources.push(attributesIn(resource.attributes));
  for (const { metrics } of scopeMetrics)
    for (const metric of metrics) {
      const [kind = "", ...others] = ["sum", "gauge", "histogram"].filter((one) => one in metric);
      assert.deepEqual(others, []);
      if (kind !== "gauge") assert.equal(metric[kind].aggregationTemporality, 2);
      collector.metrics.set(metric.name, { kind, points: metric[kind].dataPoints.map(pointIn) });
    }
}

function pointIn(point: Arrived): Point {
  assert.ok(millisecondsIn(point.startTimeUnixNano) <= millisecondsIn(point.timeUnixNano));
  if (point.bucketCounts === undefined) return { attributes: attributesIn(point.attributes), value: point.asDouble };
  assert.equal(point.bucketCounts.length, point.explicitBounds.length + 1);
  const value = Number(point.count);
  assert.equal(
    point.bucketCounts.reduce((sum: number, one: string) => sum + Number(one), 0),
    value,
  );
  return { attributes: attributesIn(point.attributes), value };
}

function millisecondsIn(written: unknown): number {
  assert.ok(typeof written === "string" && /^\d+000000$/.test(written), String(written));
  return Number(written.slice(0, -6));
}

const readers: Record<string, (value: Arrived) => unknown> = {
  stringValue: String,
  boolValue: Boolean,
  intValue: Number,
  doubleValue: Number,
};

function attributesIn(attributes: Arrived): Record<string, unknown> {
  const read = attributes.map(({ key, value }: Arrived) => {
    const [[kind, one] = [], ...others] = Object.entries(value);
    const reader = readers[kind ?? ""];
    assert.ok(reader && others.length === 0, `the value of ${key}`);
    return [key, reader(one)];
  });
  return Object.fromEntries(read);
}
