/** The transports of notices (Discord, Slack, webhooks): what is sent, and what the reply means. */

import { createHash, createHmac } from "node:crypto";
import type { Fields, Instant, Seconds } from "../../engine/event.ts";
import type { NoticeChannel, NoticeKind } from "../../formats/config/config.ts";
import { addressOf, headerOf, secretOf } from "../variables.ts";
import {
  cut,
  discordMarks,
  messageText,
  type Notice,
  noMarks,
  slackMarks,
  usualSummaryLength,
  type Wording,
} from "./messages.ts";

export interface Message {
  method: "POST" | "PATCH";
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Transport {
  /** The kinds of notices where a channel's settings name none. */
  usual: readonly NoticeKind[];
  /** A place that answers a new message so will answer every other so: the place is gone, or its key is. */
  gone: ReadonlySet<number>;
  post(notice: Notice, state: ChannelState): Message;
  /** Writes a message of its own anew; absent: the place cannot. */
  edit?(id: string, notice: Notice): Message;
  /** What a message that was taken is called, for `edit`. */
  idOf?(reply: unknown): string | undefined;
}

export interface ChannelState {
  dropped: number;
  now: Instant;
}

export interface TransportOptions {
  environment: Readonly<Record<string, string>>;
  /** Where Discord's own interface is; tests have another. */
  discord: string;
}

type Maker<K extends NoticeChannel["kind"]> = (
  settings: Extract<NoticeChannel, { kind: K }>,
  options: TransportOptions,
) => Transport;

const makers: { readonly [K in NoticeChannel["kind"]]: Maker<K> } = {
  discord: createDiscordTransport,
  slack: createSlackTransport,
  webhook: createWebhookTransport,
};

/** @throws Error for settings that cannot be used; the message quotes nothing that may be a secret */
export function createTransport(settings: NoticeChannel, options: TransportOptions): Transport {
  const make = makers[settings.kind] as (settings: NoticeChannel, options: TransportOptions) => Transport; // the table's key is the settings' kind
  return make(settings, options);
}

/** What came of a message. `reset`: nothing more may be sent before that. */
export type Reply =
  | { is: "taken"; body: unknown; reset?: Seconds }
  | { is: "limited"; retry: Seconds }
  | { is: "trouble"; reason: string }
  | { is: "refused"; status: number; reason: string };

/** Seconds that are waited where a place says only that it is too much. */
const usualRetry: Seconds = 2;

export function readReply(status: number, headers: Headers, body: unknown): Reply {
  if (status === 429) return { is: "limited", retry: retryOf(headers, body) };
  if (status >= 500 || status === 408) return { is: "trouble", reason: `HTTP ${status}` };
  if (status < 200 || status >= 300) return { is: "refused", status, reason: `HTTP ${status}${said(body)}` };
  const reset = headers.get("x-ratelimit-remaining") === "0" ? Number(headers.get("x-ratelimit-reset-after")) : 0;
  return { is: "taken", body, ...(reset > 0 ? { reset } : {}) };
}

/** The body is more exact than the header, which holds whole seconds. */
function retryOf(headers: Headers, body: unknown): Seconds {
  const given = typeof body === "object" && body !== null && "retry_after" in body ? body.retry_after : undefined;
  return [given, headers.get("retry-after")].map(secondsIn).find((one) => one >= 0) ?? usualRetry;
}

/** NaN where there is no number in it. */
const secondsIn = (given: unknown): Seconds =>
  typeof given === "number" || (typeof given === "string" && given.trim() !== "") ? Number(given) : Number.NaN;

function said(body: unknown): string {
  const text = typeof body === "object" && body !== null && "message" in body ? body.message : body;
  return typeof text === "string" && text.trim() !== "" ? `: ${text.replaceAll(/\s+/g, " ").trim().slice(0, 200)}` : "";
}

// Discord: a webhook, or a bot in a channel. Both can edit their own messages, which is how tools are shown live.

type Settings = Extract<NoticeChannel, { kind: "discord" }>;

/** Discord's own, of a message. */
const longest = 2000;
const userAgent = "DiscordBot (hookline, 1)";
/** A summary's links are not followed for a preview: their addresses may carry what was not meant to be sent. */
const withoutPreviews = 1 << 2;

/** @throws Error */
function createDiscordTransport(settings: Settings, options: TransportOptions): Transport {
  const wording: Wording = {
    marks: discordMarks,
    summaryLength: settings.summary_length ?? usualSummaryLength,
    longest: longest - 1, // and the sign that something is missing
  };
  const place = "webhook_url" in settings ? byWebhook(settings, options) : byBot(settings, options);
  const headers = { "content-type": "application/json", "user-agent": userAgent, ...place.headers };
  const message = (method: Message["method"], url: string, content: string, more: object = {}): Message => ({
    method,
    url,
    headers,
    body: JSON.stringify({ content, allowed_mentions: { parse: [] }, flags: withoutPreviews, ...more }),
  });
  return {
    usual: ["started", "tools", "completed", "skipped", "failed"],
    gone: new Set([401, 403, 404]),
    post: (notice, { dropped }) =>
      message("POST", place.post, messageText(notice, { ...wording, dropped }), place.once?.(notice)),
    edit: (id, notice) => message("PATCH", place.edit(id), messageText(notice, wording)),
    idOf: (reply) =>
      typeof reply === "object" && reply !== null && "id" in reply && typeof reply.id === "string"
        ? reply.id
        : undefined,
  };
}

interface Place {
  post: string;
  edit(id: string): string;
  headers: Readonly<Record<string, string>>;
  /** What lets Discord know a message that is sent a second time. */
  once?(notice: Notice): object;
}

function byWebhook(
  { webhook_url }: Extract<Settings, { webhook_url: string }>,
  { environment }: TransportOptions,
): Place {
  const address = addressOf(webhook_url, "webhook_url", environment);
  const at = (path: string, more: Readonly<Record<string, string>>): string => {
    const url = new URL(address);
    url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
    for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
    return url.href;
  };
  return {
    post: at("", { wait: "true" }),
    edit: (id) => at(`/messages/${encodeURIComponent(id)}`, {}),
    headers: {},
  };
}

function byBot(settings: Extract<Settings, { bot_token: string }>, { environment, discord }: TransportOptions): Place {
  const channel = secretOf(settings.channel_id, "channel_id", environment);
  const token = headerOf(settings.bot_token, "bot_token", environment);
  if (token === "") throw new Error("bot_token is empty");
  const messages = `${discord}/channels/${encodeURIComponent(channel)}/messages`;
  return {
    post: messages,
    edit: (id) => `${messages}/${encodeURIComponent(id)}`,
    headers: { authorization: `Bot ${token}` },
    once: ({ run, kind }) => ({ nonce: shortName(`${run.id} ${kind}`), enforce_nonce: true }),
  };
}

/** A nonce has at most 25 characters. */
const shortName = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 24);

// Any program behind an address: JSON in the form of Standard Webhooks, signed where the settings hold a secret.

const longestText = 4000;

/** @throws Error */
function createWebhookTransport(
  settings: Extract<NoticeChannel, { kind: "webhook" }>,
  { environment }: TransportOptions,
): Transport {
  const { href: url } = addressOf(settings.url, "url", environment);
  const given = Object.entries(settings.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    headerOf(value, `the header ${name}`, environment),
  ]);
  const own: Readonly<Record<string, string>> = Object.fromEntries(given);
  const key = settings.secret === undefined ? undefined : keyOf(secretOf(settings.secret, "secret", environment));
  const summaryLength = settings.summary_length ?? usualSummaryLength;
  return {
    usual: ["started", "tools", "completed", "skipped", "failed"],
    gone: new Set([410]),
    post(notice, { dropped, now }) {
      const body = JSON.stringify(bodyOf(notice, { dropped, now, summaryLength }));
      return { method: "POST", url, headers: { ...own, ...headersOf(idOf(notice), body, now, key) }, body };
    },
  };
}

function bodyOf(
  notice: Notice,
  { dropped, now, summaryLength }: { dropped: number; now: Instant; summaryLength: number },
): Fields {
  const { kind, run, hook, tools, summary, reason } = notice;
  return {
    type: `run.${kind}`,
    timestamp: new Date(now).toISOString(),
    data: {
      run: run.id,
      hook: hook.id,
      name: hook.name,
      project: hook.project ?? null,
      trigger: run.cause,
      status: run.status,
      text: messageText(notice, { marks: noMarks, summaryLength, longest: longestText }),
      tools: [...tools],
      summary: summary === undefined ? null : cut(summary.trim(), summaryLength),
      reason: reason ?? null,
      tokens: run.tokens ?? null,
      started_at: new Date(run.startedAt).toISOString(),
      ms: run.ms ?? null,
      ...(dropped > 0 ? { left_out: dropped } : {}),
    },
  };
}

/** The same however often it is sent, so that its reader can tell; notices of tools differ each time. */
const idOf = ({ run, kind, tools }: Notice): string =>
  `msg_${run.id}_${kind}${kind === "tools" ? `_${tools.length}` : ""}`;

function headersOf(id: string, body: string, now: Instant, key: Buffer | undefined): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(key ? { "webhook-signature": `v1,${signed(`${id}.${timestamp}.${body}`, key)}` } : {}),
  };
}

const signed = (text: string, key: Buffer): string => createHmac("sha256", key).update(text).digest("base64");

/** A secret is `whsec_` and base64. */
function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length === 0) throw new Error("secret is not whsec_ and base64");
  return key;
}

// Slack: an incoming webhook. It cannot edit a message, so the tools of a run stand with its end.

/** Slack's own advice, of a text. */
const longestSlack = 4000;

/** @throws Error */
function createSlackTransport(
  { webhook_url, summary_length }: Extract<NoticeChannel, { kind: "slack" }>,
  { environment }: TransportOptions,
): Transport {
  const { href: url } = addressOf(webhook_url, "webhook_url", environment);
  const wording: Wording = {
    marks: slackMarks,
    summaryLength: summary_length ?? usualSummaryLength,
    longest: longestSlack - 1,
  };
  return {
    usual: ["started", "completed", "skipped", "failed"],
    gone: new Set([403, 404, 410]),
    post: (notice, { dropped }) => ({
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        text: messageText(notice, { ...wording, dropped }),
        unfurl_links: false, // their addresses may carry what was not meant to be sent
        unfurl_media: false,
      }),
    }),
  };
}
