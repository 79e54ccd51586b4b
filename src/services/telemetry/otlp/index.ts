/**
 * Sends spans and metrics to an OpenTelemetry collector, as OTLP in JSON over HTTP. It looks at decisions that have been made: nothing
 * ever waits for it. What a collector that is away did not take is counted, and a person hears of it once.
 */

import { webFetch } from "../../../actions/http/web-fetch.ts";
import type { Fields, Instant, Seconds } from "../../../engine/event.ts";
import { oneLine } from "../../../engine/one-line.ts";
import { plural } from "../../../engine/words.ts";
import type { DecisionListener } from "../decisions.ts";
import type { Measure } from "../measures.ts";
import { createTrouble, type Posted, post, type Trouble } from "./collector.ts";
import { metricsOf, type Sender, tracesOf } from "./encode.ts";
import { createSpans, type SpanOptions } from "./spans.ts";
import type { OtlpTarget } from "./target.ts";

interface OtlpOptions extends SpanOptions, Pick<Sender, "version" | "since"> {
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
        `telemetry: ${collector} did not get the last ${plural(left, "span", `${left} spans`)}${because ? `: ${oneLine(because)}` : ""}`,
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

// Spans that wait to be sent: gathered for some seconds, sent in batches, kept while their collector is away, and few enough for memory.

interface SpanQueueOptions {
  send(spans: readonly Fields[]): Promise<Posted>;
  trouble: Trouble;
  after(milliseconds: number, callback: () => void): () => void;
}

interface SpanQueue {
  add(spans: readonly Fields[]): void;
  sent(): number;
  waiting(): number;
  /** Takes nothing more, and tries once to send what is left. What is not taken then is lost: gives how many. Never rejects. */
  close(): Promise<number>;
}

/** As the SDKs of OpenTelemetry have it. */
const spansAtMost = 2_048;
const batchAtMost = 512;
const gatheredFor: Seconds = 5;
const longestPause: Seconds = 60;
const waits = `up to ${spansAtMost} wait in memory`;
const isLeftOut = "what it refuses is left out";

function createSpanQueue({ send, trouble, after }: SpanQueueOptions): SpanQueue {
  let queue: Fields[] = [];
  let sent = 0;
  let failures = 0;
  let pause: Seconds = 0;
  let isClosed = false;
  let undo: (() => void) | undefined;
  let sending: Promise<void> | undefined;

  function sendSoon(): void {
    if (isClosed || sending || queue.length === 0) return;
    if (failures === 0 && queue.length >= batchAtMost) sendNow();
    else undo ??= after((failures === 0 ? gatheredFor : pause) * 1000, sendNow);
  }

  function sendNow(): void {
    undo?.();
    undo = undefined;
    sending = sendAll().finally(() => {
      sending = undefined;
      sendSoon();
    });
  }

  /** Until none is left, or they are not taken now. */
  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchAtMost);
      const posted = await send(batch);
      if (posted.is === "later") return waitFor(posted);
      queue = queue.slice(batch.length);
      failures = 0;
      take(posted, batch.length);
    }
  }

  function waitFor({ reason, pause: asked = 0 }: Extract<Posted, { is: "later" }>): void {
    pause = Math.min(Math.max(asked, 2 ** failures), longestPause);
    failures += 1;
    trouble.fails(reason, isClosed ? undefined : waits);
  }

  function take(posted: Exclude<Posted, { is: "later" }>, all: number): void {
    const rejected = posted.is === "refused" ? all : Math.min(posted.rejected, all);
    sent += all - rejected;
    trouble.lose(rejected);
    if (rejected === 0) trouble.works();
    else trouble.fails(posted.reason, isLeftOut);
  }

  return {
    add(spans) {
      const room = isClosed ? 0 : Math.max(0, spansAtMost - queue.length);
      for (const span of spans.slice(0, room)) queue.push(span);
      trouble.lose(Math.max(0, spans.length - room));
      sendSoon();
    },
    sent: () => sent,
    waiting: () => queue.length,
    async close() {
      isClosed = true;
      undo?.();
      await sending;
      await sendAll();
      const left = queue.length;
      queue = [];
      trouble.lose(left);
      return left;
    },
  };
}
