/** Discord: a webhook, or a bot in a channel. Both can write a message of their own anew, which is how tools are told live. */
import { createHash } from "node:crypto";
import type { NoticeChannel } from "../../formats/config/config.ts";
import { addressOf, headerOf, secretOf } from "./address.ts";
import type { Notice } from "./notice.ts";
import type { Message, Speaker, SpeakerOptions } from "./speaker.ts";
import { discordMarks, usualSummaryLength, type Wording, wordsOf } from "./words.ts";

type Settings = Extract<NoticeChannel, { kind: "discord" }>;

/** Discord's own, of a message. */
const longest = 2000;
const userAgent = "DiscordBot (hookline, 1)";
/** A summary's links are not followed for a preview: their addresses may carry what nobody meant to tell. */
const withoutPreviews = 1 << 2;

/** @throws Error */
export function createDiscordSpeaker(settings: Settings, options: SpeakerOptions): Speaker {
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
      message("POST", place.post, wordsOf(notice, { ...wording, dropped }), place.once?.(notice)),
    edit: (id, notice) => message("PATCH", place.edit(id), wordsOf(notice, wording)),
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
  { environment }: SpeakerOptions,
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

function byBot(settings: Extract<Settings, { bot_token: string }>, { environment, discord }: SpeakerOptions): Place {
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
