/** Spans that wait to be sent: gathered for some seconds, sent in batches, kept while their collector is away, and few enough for memory. */
import type { Fields, Seconds } from "../../../engine/event.ts";
import type { Posted } from "./post.ts";
import type { Trouble } from "./trouble.ts";

interface SpanQueueOptions {
  send(spans: readonly Fields[]): Promise<Posted>;
  trouble: Trouble;
  after(milliseconds: number, callback: () => void): () => void;
}

export interface SpanQueue {
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

export function createSpanQueue({ send, trouble, after }: SpanQueueOptions): SpanQueue {
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
