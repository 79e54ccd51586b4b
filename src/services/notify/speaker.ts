/** How a kind of place is told something: what is sent to it, and what its reply means. */
import type { Instant, Seconds } from "../../engine/event.ts";
import type { NoticeChannel, NoticeKind } from "../../formats/config/config.ts";
import { createDiscordSpeaker } from "./discord.ts";
import type { Notice } from "./notice.ts";
import { createSlackSpeaker } from "./slack.ts";
import { createWebhookSpeaker } from "./webhook.ts";

export interface Message {
  method: "POST" | "PATCH";
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Speaker {
  /** Told where a channel's settings name no kinds. */
  usual: readonly NoticeKind[];
  /** Whoever answers a new message so will answer every other so: the place is gone, or its key is. */
  gone: ReadonlySet<number>;
  post(notice: Notice, occasion: Occasion): Message;
  /** Writes a message of its own anew; absent: the place cannot. */
  edit?(id: string, notice: Notice): Message;
  /** What a message that was taken is called, for `edit`. */
  idOf?(reply: unknown): string | undefined;
}

export interface Occasion {
  dropped: number;
  now: Instant;
}

export interface SpeakerOptions {
  environment: Readonly<Record<string, string>>;
  /** Where Discord's own interface is; tests have another. */
  discord: string;
}

type Maker<K extends NoticeChannel["kind"]> = (
  settings: Extract<NoticeChannel, { kind: K }>,
  options: SpeakerOptions,
) => Speaker;

const makers: { readonly [K in NoticeChannel["kind"]]: Maker<K> } = {
  discord: createDiscordSpeaker,
  slack: createSlackSpeaker,
  webhook: createWebhookSpeaker,
};

/** @throws Error for settings that cannot be used; the message quotes nothing that may be a secret */
export function createSpeaker(settings: NoticeChannel, options: SpeakerOptions): Speaker {
  const make = makers[settings.kind] as (settings: NoticeChannel, options: SpeakerOptions) => Speaker; // the table's key is the settings' kind
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
  const told = typeof body === "object" && body !== null && "retry_after" in body ? body.retry_after : undefined;
  return [told, headers.get("retry-after")].map(secondsIn).find((one) => one >= 0) ?? usualRetry;
}

/** NaN where there is no number in it. */
const secondsIn = (told: unknown): Seconds =>
  typeof told === "number" || (typeof told === "string" && told.trim() !== "") ? Number(told) : Number.NaN;

function said(body: unknown): string {
  const text = typeof body === "object" && body !== null && "message" in body ? body.message : body;
  return typeof text === "string" && text.trim() !== "" ? `: ${text.replaceAll(/\s+/g, " ").trim().slice(0, 200)}` : "";
}
