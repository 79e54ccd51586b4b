/** Any program behind an address: JSON in the form of Standard Webhooks, signed where the settings hold a secret. */
import { createHmac } from "node:crypto";
import type { Fields, Instant } from "../../engine/event.ts";
import type { NoticeChannel } from "../../formats/config/config.ts";
import { addressOf, headerOf, secretOf } from "./address.ts";
import type { Notice } from "./notice.ts";
import type { Speaker, SpeakerOptions } from "./speaker.ts";
import { cut, noMarks, usualSummaryLength, wordsOf } from "./words.ts";

const longestText = 4000;

/** @throws Error */
export function createWebhookSpeaker(
  settings: Extract<NoticeChannel, { kind: "webhook" }>,
  { environment }: SpeakerOptions,
): Speaker {
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
      text: wordsOf(notice, { marks: noMarks, summaryLength, longest: longestText }),
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

/** The same however often it is sent, so that its reader can tell; what is told of tools differs each time. */
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
