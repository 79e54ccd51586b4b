/** One channel: it gets its notices in order, at the pace that it allows, and few of them wait in memory. */

import { parseJson } from "../../actions/command/protocols/find-answer.ts";
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { Instant, Seconds } from "../../engine/event.ts";
import { pause } from "../../engine/ports.ts";
import { counted } from "../../engine/words.ts";
import type { NoticeKind } from "../../formats/config/config.ts";
import type { Notice } from "./messages.ts";
import { type Message, type Reply, readReply, type Transport } from "./transports.ts";

export interface ChannelOptions {
  name: string;
  transport: Transport;
  kinds: ReadonlySet<NoticeKind>;
  fetch: typeof globalThis.fetch;
  now(): Instant;
  /** Calls back once after so many milliseconds; gives its undo. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Called with what could not be sent; holds nothing secret. */
  complain(reason: string): void;
}

export interface Channel {
  add(notice: Notice): void;
  /** Waits until all is sent, or the signal aborts: then the rest is given up. Never rejects. */
  close(signal: AbortSignal): Promise<void>;
}

interface Waiting {
  notice: Notice;
  attempts: number;
}

/** Notices that wait at most; then the least important goes. */
const waitingAtMost = 200;
const attemptsAtMost = 5;
const firstPause: Seconds = 0.5;
const requestLimitInMs = 10_000;
const replyLimitInBytes = 64 << 10;
/** News so late are none: what would have to wait longer than this is left out. */
const longestWait: Seconds = 900;
/** A place that says no for ever is asked again all the same. */
const longestObeyed: Seconds = 86_400;
/** Who says it is too much again and again is asked less and less often, whatever it says. */
const longestOwnPause: Seconds = 60;
/** Runs whose message may still be written anew. */
const messagesAtMost = 1000;

export function createChannel({ name, transport, kinds, ...outside }: ChannelOptions): Channel {
  const { now, complain } = outside;
  const waiting: Waiting[] = [];
  const messages = createMessages(transport);
  const stopping = new AbortController();
  let inFlight: Waiting | undefined;
  let working: Promise<void> | undefined;
  let dropped = 0;
  let isGone = false;
  let notBefore: Instant = 0;
  let limits = 0;

  function leaveOneOut(): void {
    const one = leastImportant(waiting.filter((other) => other !== inFlight));
    if (!one) return;
    waiting.splice(waiting.indexOf(one), 1);
    if (dropped === 0) complain(`${name}: there is more to tell than it takes, so notices are left out`);
    dropped += 1;
  }

  async function work(): Promise<void> {
    for (let next = waiting[0]; next && !stopping.signal.aborted && !isGone; next = waiting[0]) {
      const left = notBefore - now();
      if (left > 0) await pause(left, outside, stopping.signal);
      else await tell(next);
    }
    if (isGone) waiting.length = 0;
  }

  async function tell(one: Waiting): Promise<void> {
    inFlight = one;
    const { notice } = one;
    const message = messages.of(notice, { dropped, now: now() });
    const reply = await send(message, outside.fetch, stopping.signal);
    inFlight = undefined;
    if (reply.is !== "limited") limits = 0;
    else return obey(Math.max(reply.retry, Math.min(firstPause * 2 ** limits++, longestOwnPause)));
    if (reply.is === "trouble" && ++one.attempts < attemptsAtMost) {
      notBefore = now() + firstPause * 2 ** (one.attempts - 1) * 1000;
      return;
    }
    waiting.splice(waiting.indexOf(one), 1);
    if (reply.is === "taken") {
      if (message.method === "POST") dropped = 0;
      if (reply.reset !== undefined) obey(reply.reset);
      messages.taken(notice, message, reply.body);
      return;
    }
    if (stopping.signal.aborted) return;
    isGone = reply.is === "refused" && message.method === "POST" && transport.gone.has(reply.status);
    if (message.method === "PATCH") messages.forget(notice); // it may have been deleted there
    complain(
      isGone
        ? `${name}: ${reply.reason}; it gets nothing more until its settings change or Hookline starts anew`
        : `${name}: a notice was not taken: ${reply.reason}`,
    );
  }

  const isTooLong = (): boolean => notBefore - now() > longestWait * 1000;

  /** Nothing is sent before that is over. What cannot wait for it goes; what comes meanwhile is counted, too. */
  function obey(pause: Seconds): void {
    notBefore = now() + Math.min(pause, longestObeyed) * 1000;
    if (!isTooLong()) return;
    complain(
      `${name}: it asks to wait ${Math.round(pause)} s; what would wait longer than ${longestWait} s is left out`,
    );
    dropped += waiting.length;
    waiting.length = 0;
  }

  return {
    add(notice) {
      if (isGone || stopping.signal.aborted || !kinds.has(notice.kind)) return;
      if (isTooLong()) {
        dropped += 1;
        return;
      }
      const sameRun = waiting.find(
        (one) => one !== inFlight && one.notice.kind === "tools" && one.notice.run.id === notice.run.id,
      );
      if (notice.kind === "tools" && sameRun) sameRun.notice = notice;
      else waiting.push({ notice, attempts: 0 });
      if (waiting.length > waitingAtMost) leaveOneOut();
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async close(signal) {
      const stop = (): void => stopping.abort();
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      await working;
      const left = waiting.length;
      stop();
      if (left > 0) complain(`${name}: ${counted(left, "notice was", "notices were")} not sent in time`);
    },
  };
}

function leastImportant(waiting: readonly Waiting[]): Waiting | undefined {
  const [first = waiting[0]] = ["tools", "started"].flatMap(
    (kind) => waiting.find(({ notice }) => notice.kind === kind) ?? [],
  );
  return first;
}

/** The messages of runs that go on, which name their tools: one is edited where the service can. */
function createMessages(transport: Transport) {
  const messages = new Map<string, string>();
  return {
    of(notice: Notice, state: Parameters<Transport["post"]>[1]): Message {
      const id = notice.kind === "tools" ? messages.get(notice.run.id) : undefined;
      return id !== undefined && transport.edit ? transport.edit(id, notice) : transport.post(notice, state);
    },
    taken({ kind, run }: Notice, { method }: Message, body: unknown): void {
      if (method === "PATCH") return;
      const id = kind === "started" || kind === "tools" ? transport.idOf?.(body) : undefined;
      if (id === undefined) return void messages.delete(run.id);
      messages.set(run.id, id);
      dropOldest(messages, messagesAtMost);
    },
    forget: ({ run }: Notice) => void messages.delete(run.id),
  };
}

async function send(
  { url, ...request }: Message,
  fetch: ChannelOptions["fetch"],
  stopped: AbortSignal,
): Promise<Reply> {
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(requestLimitInMs)]);
    // A redirect would carry the notice, and the key, elsewhere.
    const reply = await fetch(url, { ...request, signal, redirect: "manual" });
    return readReply(reply.status, reply.headers, await bodyOf(reply));
  } catch (error) {
    return { is: "trouble", reason: troubleOf(error) };
  }
}

/** What a failed request says of itself may hold the address, and with it the key: its code does not. */
function troubleOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "it did not answer in time";
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return `it cannot be reached${typeof code === "string" ? ` (${code})` : ""}`;
}

/** What it answers, as JSON where it is. Of an endless reply no more than its beginning is read. */
async function bodyOf(reply: Response): Promise<unknown> {
  if (!reply.body) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > replyLimitInBytes) break; // which also closes the connection
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const value = parseJson(text);
  return value === undefined ? text : value;
}
