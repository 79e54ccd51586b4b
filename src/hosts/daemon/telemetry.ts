/** What a daemon counts and measures of itself, and where that goes: Prometheus asks for it, a collector gets it. What sends it is loaded only where a person has said where to. */
import { statSync } from "node:fs";
import { messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import type { Observation, Ports } from "../../engine/ports.ts";
import type { TelemetrySettings } from "../../formats/config/config.ts";
import { usualMetricsInterval } from "../../formats/config/keys.ts";
import { countDecisions, type DecisionListener, followDecisions } from "../../services/telemetry/decisions.ts";
import { createMeasures, type Measure, type Measures } from "../../services/telemetry/measures.ts";
import type { Otlp } from "../../services/telemetry/otlp/index.ts";
import { fill } from "../../services/variables.ts";
import type { DegradableStore } from "../../storage/degraded.ts";
import type { WorkCounts } from "../../storage/sqlite/journal-queues.ts";

export interface TelemetryOptions extends Pick<Ports, "now" | "after" | "owner"> {
  /** Which build this is. */
  version: string;
  /** Fills `${NAME}` in the settings. */
  environment: Readonly<Record<string, string>>;
  /** `OTEL_…`, as far as a person has set them for this process. A client's daemon has an agent's, which a project may have set: none count. */
  variables: Readonly<Record<string, string>>;
  /** Takes secrets out of contents; without it none are sent. */
  redact?: ((text: string) => string) | undefined;
  complain(reason: string): void;
  store: DegradableStore;
  /** Where it lies; absent: it has no size. */
  storeFile?: string | undefined;
  /** Runs of automations. May throw what the store throws. */
  queue(): WorkCounts;
  sessions(): number;
}

export interface Telemetry {
  /** For what else is to be measured. */
  readonly measures: Pick<Measures, "gauge" | "grown">;
  observe(seen: Observation): void;
  read(): readonly Measure[];
  /** Who sends it may read the measures. Undefined: there is none. */
  scrapeToken(): string | undefined;
  /** Sends where the settings say from now on, or no more. Resolves when what happens then is sent. Never rejects. */
  follow(settings: TelemetrySettings): Promise<void>;
  /** Where it goes and what became of it; null: nowhere. */
  facts(): Fields | null;
  /** Sends what is left, within two seconds. Never rejects. */
  close(): Promise<void>;
}

const shortestToken = 16;

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { now, environment, variables, redact, complain } = options;
  const since = now();
  const measures = createMeasures();
  const counts = countDecisions(measures);
  let otlp: Otlp | undefined;
  let scrapeToken: string | undefined;
  let followed: string | undefined;
  let opening = Promise.resolve();
  const listener: DecisionListener = {
    decided(decision) {
      counts.decided(decision);
      otlp?.decided(decision);
    },
    ended(run) {
      counts.ended(run);
      otlp?.ended(run);
    },
  };

  async function open(settings: TelemetrySettings): Promise<void> {
    const before = otlp;
    otlp = undefined;
    const closing = before?.close();
    scrapeToken = tokenIn(settings);
    if (isOn(settings, variables)) {
      try {
        otlp = await opened(settings);
      } catch (error) {
        complain(`telemetry is not sent: ${messageOf(error)}`);
      }
    }
    await closing;
  }

  /** One that is short could be guessed. */
  function tokenIn({ scrape_token: written }: TelemetrySettings): string | undefined {
    if (written === undefined) return undefined;
    try {
      const token = fill(written, environment);
      if (token.length >= shortestToken) return token;
      complain(`telemetry.scrape_token opens nothing: it is shorter than ${shortestToken} characters`);
    } catch (error) {
      complain(`telemetry.scrape_token opens nothing: ${messageOf(error)}`);
    }
    return undefined;
  }

  async function opened(settings: TelemetrySettings): Promise<Otlp | undefined> {
    const [{ openOtlp }, { targetOf }] = await Promise.all([
      import("../../services/telemetry/otlp/index.ts"),
      import("../../services/telemetry/otlp/target.ts"),
    ]);
    const target = targetOf({ settings, environment, variables });
    if (!target.traces && !target.metrics) return undefined;
    return openOtlp({
      ...{ ...options, target, since, measures: measures.read, instance: options.owner ?? "" },
      interval: settings.metrics_interval ?? usualMetricsInterval,
      ...(settings.contents && redact ? { contents: redact } : {}),
    });
  }

  measureDaemon(options, measures);
  measures.grown({ name: "hookline.telemetry.spans", help: "Spans for a collector: sent, and lost." }, ["state"], () =>
    Object.entries(otlp?.spans() ?? {}).map(([state, value]) => ({ labels: [state], value })),
  );

  return {
    measures,
    read: measures.read,
    scrapeToken: () => scrapeToken,
    observe: followDecisions(now, listener),
    follow(settings) {
      const said = JSON.stringify(settings);
      if (said === followed) return opening;
      followed = said;
      opening = opening.then(() => open(settings));
      return opening;
    },
    facts: () => otlp?.facts() ?? null,
    async close() {
      await opening;
      await otlp?.close();
    },
  };
}

const endpoints = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
];

/** Said in a file, or by OpenTelemetry's own variables. */
function isOn({ enabled = true, endpoint }: TelemetrySettings, variables: TelemetryOptions["variables"]): boolean {
  if (!enabled) return false;
  if (endpoint !== undefined) return true;
  return variables.OTEL_SDK_DISABLED?.toLowerCase() !== "true" && endpoints.some((name) => variables[name]);
}

/** At each read. */
function measureDaemon({ version, store, storeFile, queue, sessions }: TelemetryOptions, measures: Measures): void {
  measures.gauge({ name: "hookline.info", help: "The daemon that answers." }, ["version"], () => [
    { labels: [version], value: 1 },
  ]);
  measures.gauge({ name: "hookline.daemon.memory", help: "Memory of the daemon.", unit: "By" }, [], () => [
    { labels: [], value: process.memoryUsage.rss() },
  ]);
  measures.grown({ name: "hookline.daemon.cpu", help: "Processor time of the daemon.", unit: "s" }, [], () => {
    const { user, system } = process.cpuUsage();
    return [{ labels: [], value: (user + system) / 1e6 }];
  });
  measures.gauge({ name: "hookline.daemon.uptime", help: "How long the daemon runs.", unit: "s" }, [], () => [
    { labels: [], value: process.uptime() },
  ]);
  measures.gauge(
    { name: "hookline.queue.runs", help: "Runs of automations that wait, that run now, and that other machines have." },
    ["state"],
    () => {
      const { waiting, running, handedOver } = queue();
      const states = { waiting, running, handed_over: handedOver };
      return Object.entries(states).map(([state, value]) => ({ labels: [state], value }));
    },
  );
  measures.gauge({ name: "hookline.sessions", help: "Sessions that have begun and not ended." }, [], () => [
    { labels: [], value: sessions() },
  ]);
  measures.gauge({ name: "hookline.store.size", help: "The store's files.", unit: "By" }, [], () =>
    storeFile === undefined ? [] : [{ labels: [], value: sizeOf(storeFile) + sizeOf(`${storeFile}-wal`) }],
  );
  measures.gauge(
    { name: "hookline.store.writable", help: "1: the store takes what is recorded; 0: it does not." },
    [],
    () => [{ labels: [], value: store.loss() ? 0 : 1 }],
  );
  measures.grown({ name: "hookline.store.lost", help: "Rows that could not be written in time." }, [], () => [
    { labels: [], value: store.rowsLost() },
  ]);
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
