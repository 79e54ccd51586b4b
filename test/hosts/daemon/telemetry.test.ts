/** What a daemon tells of its work: traces and metrics for a collector, and the page that Prometheus reads. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { closedAddress } from "../../services/notify/server.ts";
import { type Collector, type Span, startCollector } from "../../services/telemetry/collector.ts";
import { hosted } from "./hosted.ts";
import { placeFor } from "./started.ts";
import { answerIn, type ToldDaemon, toldDaemon, version } from "./told.ts";

const command = (line: string, more = {}): object => ({ type: "command", command: line, ...more });
const hooks = {
  PreToolUse: [
    { matcher: "Bash", hooks: [command("echo what-it-printed; echo why-it-refuses >&2; exit 2")] },
    { matcher: "Write", hooks: [command("echo broken >&2; exit 1"), command("sleep 0")] },
  ],
};
const files = { "home/.config/hookline/hooks.json": JSON.stringify({ hooks }) };
const settings = (...lines: string[]): Record<string, string> => ({
  "home/.config/hookline/config.yaml": `telemetry:\n${lines.map((line) => `  ${line}\n`).join("")}`,
});

const secret = "a-secret-of-the-sender";

function call({ workspace }: ToldDaemon, tool: string, input: object): string {
  const tool_input = { ...input, key: secret };
  return JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s-1",
    cwd: workspace,
    tool_name: tool,
    tool_input,
  });
}
const bash = async (told: ToldDaemon): Promise<void> =>
  void answerIn(
    await told.own({
      payload: call(told, "Bash", { command: "rm secret-file" }),
      environment: { ...told.environment, API_TOKEN: secret },
    }),
  );
const below = (spans: readonly Span[], parent: Span): Span[] => spans.filter((span) => span.parent === parent.id);
const total = ({ metrics }: Collector, name: string, wanted: Record<string, unknown> = {}): number =>
  (metrics.get(name)?.points ?? [])
    .filter(({ attributes }) => Object.entries(wanted).every(([key, value]) => attributes[key] === value))
    .reduce((sum, { value }) => sum + value, 0);

async function exporting(t: TestContext, ...more: string[]): Promise<{ collector: Collector; told: ToldDaemon }> {
  const collector = await startCollector(t);
  return { collector, told: await toldDaemon(t, { ...files, ...settings(`endpoint: ${collector.url}`, ...more) }) };
}

test("an event is a trace: below it a span for each hook, below that one for each step, each within its parent", async (t) => {
  const { collector, told } = await exporting(t);
  const before = Date.now();
  await bash(told);
  answerIn(await told.own({ payload: call(told, "Write", { file_path: "a", content: "b" }) }));
  await told.close();
  const after = Date.now();
  const roots = collector.spans.filter(({ parent }) => parent === undefined);
  assert.deepEqual(
    roots.map(({ name, attributes }) => [name, attributes["gen_ai.tool.name"], attributes["hookline.verdict"]]),
    [
      ["PreToolUse", "Bash", "deny"],
      ["PreToolUse", "Write", "none"],
    ],
  );
  for (const root of roots) {
    assert.equal(root.attributes["session.id"], "s-1");
    assert.ok(before <= root.from && root.to <= after);
    const ofHooks = below(collector.spans, root);
    assert.ok(ofHooks.length > 0);
    for (const hook of ofHooks)
      for (const [inner, outer] of [
        [hook, root],
        ...below(collector.spans, hook).map((step) => [step, hook] as const),
      ] as const) {
        assert.equal(inner.trace, root.trace);
        assert.ok(
          outer.from <= inner.from && inner.from <= inner.to && inner.to <= outer.to,
          JSON.stringify([inner, outer]),
        );
      }
  }
  const [first, second] = roots.map((root) => below(collector.spans, root));
  const hook = first?.find(({ attributes }) => attributes["hookline.run.status"] === "completed");
  assert.ok(hook);
  assert.deepEqual(
    [hook.name, hook.attributes["hookline.verdict"]],
    [roots[0]?.attributes["hookline.verdict.by"], "deny"],
  );
  const [step, ...others] = below(collector.spans, hook);
  assert.deepEqual([step?.name, step?.attributes["process.exit.code"], others], ["command", 2, []]);
  assert.deepEqual(second?.map(({ failure }) => failure).sort(), ["failed", undefined]);
  assert.equal(new Set(collector.spans.map(({ id }) => id)).size, collector.spans.length);
  assert.deepEqual(collector.resources[0]?.["service.version"], version);
});

test("nothing that anybody has written is sent, unless a person wants the contents; then secrets are taken out", async (t) => {
  const words = ["secret-file", "what-it-printed", "why-it-refuses", secret];
  const sentWords = async (...more: string[]): Promise<string[]> => {
    const { collector, told } = await exporting(t, ...more);
    await bash(told);
    await told.close();
    assert.ok(collector.spans.length > 0);
    return words.filter((word) => collector.requests.some(({ text }) => text.includes(word)));
  };
  assert.deepEqual(await sentWords(), []);
  assert.deepEqual(await sentWords("contents: true"), words.slice(0, 3));
});

test("a hook that ends behind the answer is in the trace of its event", async (t) => {
  const collector = await startCollector(t);
  const async = { hooks: { PreToolUse: [{ hooks: [command("true", { async: true })] }] } };
  const told = await toldDaemon(t, {
    "home/.config/hookline/hooks.json": JSON.stringify(async),
    ...settings(`endpoint: ${collector.url}`),
  });
  await bash(told);
  await told.close();
  const root = collector.spans.find(({ parent }) => parent === undefined);
  assert.ok(root);
  const [hook] = below(collector.spans, root);
  assert.deepEqual([hook?.attributes["hookline.run.status"], hook?.trace], ["completed", root.trace]);
});

test("metrics count the same as the traces, and the variables of OpenTelemetry say where to", async (t) => {
  const collector = await startCollector(t);
  const told = await toldDaemon(t, files, {
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=k",
      OTEL_SERVICE_NAME: "guards",
    },
  });
  for (let count = 0; count < 3; count++) await bash(told);
  await told.close();
  assert.equal(total(collector, "hookline.events", { event: "PreToolUse", sender: "claude-code" }), 3);
  assert.equal(total(collector, "hookline.verdicts", { verdict: "deny" }), 3);
  assert.equal(total(collector, "hookline.event.duration"), 3);
  assert.ok(total(collector, "hookline.runs", { status: "completed" }) >= 3);
  assert.ok(total(collector, "hookline.daemon.memory") > 1_000_000);
  assert.equal(collector.spans.filter(({ parent }) => parent === undefined).length, 3);
  for (const { headers } of collector.requests) assert.equal(headers["api-key"], "k");
  assert.equal(collector.resources[0]?.["service.name"], "guards");
});

test("nothing is sent where nobody has said where to, where it is switched off, and where a project says it", async (t) => {
  const collector = await startCollector(t);
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const cases: Parameters<typeof toldDaemon>[] = [
    [t, files],
    [t, { ...files, ...settings(`scrape_token: a-token-for-prometheus`) }],
    [t, { ...files, ...settings(`endpoint: ${collector.url}`, "enabled: false") }, { variables }],
    [t, files, { variables: { ...variables, OTEL_SDK_DISABLED: "true" } }],
    [t, { ...files, "workspace/hookline.yaml": `telemetry: { endpoint: "${collector.url}" }\n` }],
  ];
  for (const one of cases) {
    const told = await toldDaemon(...one);
    await bash(told);
    assert.equal(told.daemon.status().telemetry, null);
    await told.close();
  }
  assert.equal(collector.connections, 0);
});

test("a project that says where to is told that only a person may, and settings that cannot hold are said", async (t) => {
  const place = placeFor(t, { "workspace/hookline.yaml": "telemetry: { endpoint: http://127.0.0.1:9 }\n" });
  const { status, stdout } = place.hookline("check");
  assert.equal(status, 1);
  assert.match(
    stdout,
    /hookline\.yaml:1:\d+ .*setting-refused a project's file may not say where what happens here is sent/,
  );
  const said: string[] = [];
  const wrong = settings("endpoint: collector:4318", "scrape_token: short");
  const told = await toldDaemon(t, wrong, { complain: (reason) => said.push(reason) });
  await told.close();
  assert.equal(said.length, 2);
  assert.match(
    said.join("\n"),
    /scrape_token opens nothing: it is shorter than 16.*\n.*telemetry is not sent: telemetry\.endpoint/,
  );
});

test("a collector that is away changes no answer and holds no daemon up: what is lost is said", async (t) => {
  const said: string[] = [];
  const address = await closedAddress();
  const told = await toldDaemon(
    t,
    { ...files, ...settings(`endpoint: ${address}`, "signals: [traces]") },
    {
      complain: (reason) => said.push(reason),
    },
  );
  const { stdout } = answerIn(await told.own({ payload: call(told, "Bash", {}) }));
  assert.match(stdout, /"permissionDecision":"deny"/);
  await told.close();
  assert.deepEqual(said, [`telemetry: ${address} did not get the last 3 spans: it cannot be reached (ECONNREFUSED)`]);
});

interface Sample {
  labels: Record<string, string>;
  value: number;
}
interface Family {
  type: string;
  samples: Map<string, Sample[]>;
}

/** By the rules of the text format 0.0.4: each line is right, each family stands together below its one HELP and TYPE. */
function parsePrometheus(text: string): Map<string, Family> {
  assert.ok(text.endsWith("\n"));
  const families = new Map<string, Family>();
  let name = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, of = "", rest = ""] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line) ?? [];
    if (word === "HELP") {
      assert.ok(!families.has(of), `${of} is there twice`);
      name = of;
      families.set(of, { type: "", samples: new Map() });
      continue;
    }
    const family = families.get(name);
    assert.ok(family, line);
    if (word === "TYPE") {
      assert.equal(of, name);
      assert.match(rest, /^(counter|gauge|histogram)$/);
      family.type = rest;
      continue;
    }
    const [, full = "", , given = "", value = ""] = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const suffix = full.slice(name.length);
    assert.ok(
      full.startsWith(name) && (family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]).includes(suffix),
      line,
    );
    const labels: Record<string, string> = {};
    const left = given.replaceAll(
      /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\n"])*)"(,|$)/g,
      (_pair, key: string, written: string) => {
        labels[key] = written.replaceAll(/\\(.)/g, (_all, one: string) => (one === "n" ? "\n" : one));
        return "";
      },
    );
    assert.equal(left, "", line);
    assert.ok(!Number.isNaN(Number(value)), line);
    family.samples.set(suffix, [...(family.samples.get(suffix) ?? []), { labels, value: Number(value) }]);
  }
  return families;
}

test("Prometheus reads events, verdicts, runs, durations, queue, store and memory from /metrics, with a token that opens nothing else", async (t) => {
  const scrape = "a-token-for-prometheus";
  const place = placeFor(t, { ...files, ...settings(`scrape_token: ${scrape}`) });
  const daemon = await hosted(place);
  const odd = String.raw`odd."name\n`;
  await daemon.emit(odd);
  for (let count = 0; count < 2; count++)
    place.hookline("emit", "PreToolUse", '{"tool_name":"Bash","tool_input":{"command":"ls"}}'); // not the daemon's: it is not counted
  await daemon.emit("build.finished");
  const read = (authorization: string, path = "/metrics"): Promise<Response> =>
    fetch(`http://127.0.0.1:${daemon.port}${path}`, { headers: { authorization } });
  for (const wrong of ["", "Bearer x", `Basic ${scrape}`]) assert.equal((await read(wrong)).status, 401);
  assert.equal((await read(`Bearer ${scrape}`, "/status")).status, 401);
  assert.equal((await read(`Bearer ${daemon.token}`)).status, 200);
  const answer = await read(`Bearer ${scrape}`);
  assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  const families = parsePrometheus(await answer.text());
  const sampleOf = (name: string, wanted: Record<string, string> = {}, suffix = ""): number | undefined =>
    families
      .get(name)
      ?.samples.get(suffix)
      ?.find(({ labels }) => Object.entries(wanted).every(([key, value]) => labels[key] === value))?.value;
  assert.equal(sampleOf("hookline_events_total", { event: "build.finished" }), 1);
  assert.equal(sampleOf("hookline_events_total", { event: odd }), 1);
  assert.equal(sampleOf("hookline_events_total", { event: "PreToolUse" }), undefined);
  assert.equal(sampleOf("hookline_verdicts_total", { event: odd, verdict: "none" }), 1);
  assert.equal(sampleOf("hookline_queue_runs", { state: "waiting" }), 0);
  assert.ok((sampleOf("hookline_store_size_bytes") ?? 0) > 4_096);
  assert.equal(sampleOf("hookline_store_writable"), 1);
  assert.ok((sampleOf("hookline_daemon_memory_bytes") ?? 0) > 1_000_000);
  assert.equal(sampleOf("hookline_intake_events"), 0);
  const durations = families.get("hookline_event_duration_seconds");
  for (const { labels, value } of durations?.samples.get("_count") ?? []) {
    const buckets = (durations?.samples.get("_bucket") ?? []).filter((one) => one.labels.event === labels.event);
    const values = buckets.map((one) => one.value);
    assert.deepEqual(
      values,
      [...values].sort((left, right) => left - right),
      "they are cumulated",
    );
    assert.deepEqual([buckets.at(-1)?.labels.le, values.at(-1)], ["+Inf", value]);
  }
});

test("names without end become one series, so that nobody fills the daemon's memory with them", async (t) => {
  const told = await toldDaemon(t, {});
  for (let count = 0; count < 1_100; count++)
    await told.daemon.emit({
      id: `e${count}`,
      name: `a.b${count}`,
      at: 0,
      cwd: told.workspace,
      data: {},
      sender: "http",
    });
  const events = told.daemon.telemetry.read().find(({ name }) => name === "hookline.events");
  assert.ok(events?.kind === "counter");
  assert.equal(events.points.length, 1_001);
  assert.deepEqual(events.points.at(-1), { labels: ["(others)", "(others)"], value: 100 });
});
