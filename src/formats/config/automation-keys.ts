/** What hookline.yaml says of automations: their engine, who is told of them, who may send events, and memory. Checks and schemas. */
import {
  flag,
  integer,
  isRecord,
  kindOf,
  listOf,
  mapOf,
  numberWithin,
  object,
  oneOf,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import {
  type EngineSettings,
  type InboundWebhook,
  type MemorySettings,
  type NoticeChannel,
  noticeKinds,
} from "./config.ts";

/** What holds where the file says nothing (specification 000, section 14). */
export const engineDefaults: Required<EngineSettings> = {
  enabled: true,
  max_concurrent_hooks: 2,
  file_watcher_enabled: true,
  file_watcher_poll_interval: 10,
  file_watcher_debounce_seconds: 5,
};

/** In seconds, as the longest: whoever wants less than one look a day wants none, and says so. */
const shortestPoll = 0.1;
const longestPoll = 86_400;
const longestQuiet = 86_400;

export const engineSettings: Schema<EngineSettings> = object(
  {},
  {
    enabled: say(flag, "false: no automation runs, except by hand", engineDefaults.enabled),
    max_concurrent_hooks: say(
      integer(undefined, 1),
      "how many automations run at once, on this machine",
      engineDefaults.max_concurrent_hooks,
    ),
    file_watcher_enabled: say(flag, "false: no file or folder is watched", engineDefaults.file_watcher_enabled),
    file_watcher_poll_interval: say(
      numberWithin(shortestPoll, longestPoll),
      "seconds between two looks, where the system does not tell of changes",
      engineDefaults.file_watcher_poll_interval,
    ),
    file_watcher_debounce_seconds: say(
      numberWithin(0, longestQuiet),
      "how long a folder has to be quiet before its changes are told",
      engineDefaults.file_watcher_debounce_seconds,
    ),
  },
);

const everyChannel = {
  events: say(listOf(oneOf(...noticeKinds)), "what is told; all of it unless said"),
  summary_length: integer("how much of a model's answer is told, in characters; 200 unless said", 0),
};
const discordWebhook = object(
  { kind: oneOf("discord"), webhook_url: text("the webhook's address, best as ${NAME}") },
  everyChannel,
);
const discordBot = object(
  {
    kind: oneOf("discord"),
    bot_token: text("the bot's token, best as ${NAME}"),
    channel_id: text("the channel that it writes to"),
  },
  everyChannel,
);
const slack = object(
  { kind: oneOf("slack"), webhook_url: text("the webhook's address, best as ${NAME}") },
  everyChannel,
);
const webhook = object(
  { kind: oneOf("webhook"), url: text("where a JSON object is posted to") },
  {
    headers: say(mapOf(text()), "sent with each message; ${NAME} in them is filled from the environment"),
    secret: text("signs each message by Standard Webhooks: whsec_ and base64, best as ${NAME}"),
    ...everyChannel,
  },
);
const kindOfChannel = oneOf("discord", "slack", "webhook");

/** Told apart by kind, and two of one kind by a member that only one has. */
export const noticeChannel: Schema<NoticeChannel> = {
  json: { anyOf: [discordWebhook.json, discordBot.json, slack.json, webhook.json] },
  check(value, path = []) {
    if (!isRecord(value)) return [{ path, expected: "an object", found: kindOf(value) }];
    if (value.kind === "slack") return slack.check(value, path);
    if (value.kind === "webhook") return webhook.check(value, path);
    if (value.kind === "discord")
      return ("bot_token" in value || "channel_id" in value ? discordBot : discordWebhook).check(value, path);
    return kindOfChannel.check(value.kind, [...path, "kind"]);
  },
};

/** Agents tell of their own events; nobody else may pass for one. */
const applicationEvent: Schema<string> = {
  json: {
    type: "string",
    pattern: "^[^\\s.]+(\\.[^\\s.]+)+$",
    description: "the event that its messages become; their own type unless said",
  },
  check: (value, path = []) =>
    typeof value === "string" && isApplicationEvent(value)
      ? []
      : [{ path, expected: "an application event, whose name holds a dot,", found: kindOf(value) }],
};
export const isApplicationEvent = (name: string): boolean => name.length <= 200 && /^[^\s.]+(\.[^\s.]+)+$/.test(name);

export const inboundWebhook: Schema<InboundWebhook> = object(
  { secret: text("what its messages are signed with, by Standard Webhooks: whsec_ and base64, best as ${NAME}") },
  { event: applicationEvent, project: text("the project that its events are of") },
);

export const memorySettings: Schema<MemorySettings> = object(
  {},
  {
    embeddings: text(
      "the model that makes embeddings, as provider/model, of a provider that speaks OpenAI's protocol; words alone are searched unless said",
    ),
  },
);
