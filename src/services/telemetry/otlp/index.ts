/**
 * Sends spans and metrics to an OpenTelemetry collector, as OTLP in JSON over HTTP. It looks at decisions that have been made: nothing
 * ever waits for it. What a collector that is away did not take is counted, and a person hears of it once.
 */
import { webFetch } from "../../../actions/http/web-fetch.ts";
import type { Fields, Instant, Seconds } from "../../../engine/event.ts";
import { oneLine } from "../../../engine/one-line.ts";
import type { DecisionListener } from "../decisions.ts";
import type { Measure } from "../measures.ts";
import { metricsOf, type Sender, tracesOf } from "./encode.ts";
import { post } from "./post.ts";
import { createSpanQueue } from "./queue.ts";
import { createSpans, type SpanOptions } from "./spans.ts";
import type { OtlpTarget } from "./target.ts";
import { createTrouble } from "./trouble.ts";

export interface OtlpOptions extends SpanOptions, Pick<Sender, "version" | "since"> {
  target: OtlpTarget;
  /** Names this process among others of its kind. */
  instance: string;
  measures(): readonly Measure[];
  /** Between two of its metrics. */
  interval: Seconds;
  now(): Instant;
  /** Calls back once after so many milliseconds; gives its undo. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Gets a sentence without secrets. */
  complain(reason: string): void;
}

export interface Otlp extends DecisionListener {
  facts(): Fields;
  spans(): { sent: number; lost: number };
  /** Sends what is left, and the last metrics, within the time; the rest is given up. Never rejects. Safe to call twice. */
  close(within?: Seconds): Promise<void>;
}

const usualClosing: Seconds = 2;

export function openOtlp(options: OtlpOptions): Otlp {
  const { target, now, after, complain, version, since } = options;
  const { traces, metrics, resource } = target;
  const collector = (traces ?? metrics)?.origin ?? "";
  const sender: Sender = {
    ...{ version, since },
    resource: { ...resource, "service.version": version, "service.instance.id": options.instance },
  };
  const requests = { fetch: webFetch("internal"), headers: target.headers }; // only a person says where it goes
  const stopping = new AbortController();
  const spans = createSpans(options);
  const ofSpans = createTrouble({ what: "spans", collector, now, complain });
  const ofMetrics = createTrouble({ what: "metrics", collector, now, complain });
  const queue =
    traces &&
    createSpanQueue({
      send: (batch) => post(traces, tracesOf(batch, sender), requests, stopping.signal),
      ...{ trouble: ofSpans, after },
    });
  let undo = (): void => {};
  let ending: Promise<void> | undefined;

  /** They are sums since the start: what is not taken now is in the next ones. */
  async function sendMetrics(): Promise<void> {
    if (!metrics) return;
    const posted = await post(metrics, metricsOf(options.measures(), sender, now()), requests, stopping.signal);
    if (posted.is === "taken" && posted.rejected === 0) ofMetrics.works();
    else ofMetrics.fails(posted.reason, ending ? "these were the last" : "the next ones hold the same sums");
  }

  function sendMetricsLater(): void {
    undo = after(options.interval * 1000, () => void sendMetrics().finally(() => ending ?? sendMetricsLater()));
  }
  if (metrics) sendMetricsLater();

  async function end(within: Seconds): Promise<void> {
    undo();
    const undoLimit = after(within * 1000, () => stopping.abort());
    const [left = 0] = await Promise.all([queue?.close(), sendMetrics()]);
    undoLimit();
    stopping.abort();
    const because = ofSpans.reason();
    if (left > 0)
      complain(
        `telemetry: ${collector} did not get ${left === 1 ? "the last span" : `the last ${left} spans`}${because ? `: ${oneLine(because)}` : ""}`,
      );
  }

  const counted = (): { sent: number; lost: number } => ({ sent: queue?.sent() ?? 0, lost: ofSpans.lost() });

  return {
    spans: counted,
    decided: (decision) => queue?.add(spans.ofDecision(decision)),
    ended: (run) => queue?.add(spans.ofRun(run)),
    facts: () => ({
      collector,
      signals: [...(traces ? ["traces"] : []), ...(metrics ? ["metrics"] : [])],
      contents: options.contents !== undefined,
      spans: { ...counted(), waiting: queue?.waiting() ?? 0 },
      trouble: ofSpans.reason() ?? ofMetrics.reason() ?? null,
    }),
    close(within = usualClosing) {
      ending ??= end(within);
      return ending;
    },
  };
}
