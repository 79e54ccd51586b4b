/** Slack: an incoming webhook. It cannot write a message anew, so the tools of a run stand with its end. */
import type { NoticeChannel } from "../../formats/config/config.ts";
import { addressOf } from "./address.ts";
import type { Speaker, SpeakerOptions } from "./speaker.ts";
import { slackMarks, usualSummaryLength, type Wording, wordsOf } from "./words.ts";

/** Slack's own advice, of a text. */
const longest = 4000;

/** @throws Error */
export function createSlackSpeaker(
  { webhook_url, summary_length }: Extract<NoticeChannel, { kind: "slack" }>,
  { environment }: SpeakerOptions,
): Speaker {
  const { href: url } = addressOf(webhook_url, "webhook_url", environment);
  const wording: Wording = {
    marks: slackMarks,
    summaryLength: summary_length ?? usualSummaryLength,
    longest: longest - 1,
  };
  return {
    usual: ["started", "completed", "skipped", "failed"],
    gone: new Set([403, 404, 410]),
    post: (notice, { dropped }) => ({
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        text: wordsOf(notice, { ...wording, dropped }),
        unfurl_links: false, // their addresses may carry what nobody meant to tell
        unfurl_media: false,
      }),
    }),
  };
}
