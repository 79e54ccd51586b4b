/** The keys of hookline.yaml beside its hooks, in one table: it makes the checks, the JSON Schema and the documentation. */
import type { Fields, Json } from "../../engine/event.ts";
import {
  anything,
  flag,
  integer,
  isRecord,
  kindOf,
  listOf,
  mapOf,
  number,
  numberWithin,
  object,
  oneOf,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import {
  type Budgets,
  type EngineSettings,
  type InboundWebhook,
  type LanguageServer,
  type McpServer,
  type MemorySettings,
  type NoticeChannel,
  noticeKinds,
  type Provider,
  providerKinds,
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
      "seconds without a change in a folder before its changes are sent",
      engineDefaults.file_watcher_debounce_seconds,
    ),
  },
);

const everyChannel = {
  events: say(listOf(oneOf(...noticeKinds)), "which notices; default: all"),
  summary_length: integer("characters of the model's answer in a notice; default: 200", 0),
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
    description: "the event that its messages become; default: their own type",
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
      "the model that makes embeddings, as provider/model, of a provider with OpenAI's protocol; default: none, and memory is searched by words only",
    ),
  },
);

export const milliseconds: Schema<number> = integer("milliseconds", 1);

const budgetsSchema: Schema<Budgets> = object(
  {},
  {
    events: say(mapOf(milliseconds), "what the hooks of an event may take together, by the event's name"),
    hooks: say(mapOf(milliseconds), "what one hook may take, by its name or id"),
  },
);

const texts = (description: string): Schema<{ [name: string]: string }> => say(mapOf(text()), description);
const timeout: Schema<number> = number("seconds that one call may take", 0);

const program = object(
  { command: text("the program that is started, and spoken to by its standard input and output") },
  {
    args: say(listOf(text()), "its arguments"),
    env: texts("further variables of its environment; ${NAME} in them is filled"),
    cwd: text("the folder that it runs in; default: the project's"),
    timeout,
  },
);
const address = object(
  { url: text("the address of a server that is spoken to by streamable HTTP") },
  { headers: texts("sent with each request; ${NAME} in them is filled from the environment"), timeout },
);

export const mcpServer: Schema<McpServer> = {
  json: { anyOf: [program.json, address.json] },
  check: (value, path) => (isRecord(value) && "url" in value ? address : program).check(value, path),
};

export const provider: Schema<Provider> = object(
  { kind: say(oneOf(...providerKinds), "how it is spoken to") },
  {
    url: text("its address, where it is not the provider's own"),
    key_variable: text("the environment variable that holds the key; not in a project's file beside a url"),
    key: text("the key itself; in the user's own file alone"),
    headers: texts("sent with each request"),
  },
);

const languageServerObject: Schema<LanguageServer> = object(
  {
    command: text("the program that is started, and spoken to by its standard input and output"),
    extensions: say(listOf(text()), "the endings of the files it is asked about, with the dot"),
  },
  {
    args: say(listOf(text()), "its arguments"),
    language: text("LSP's name of the language; default: by the file ending"),
    initialization: say(mapOf(anything), "what it is initialized with"),
    settings: say(mapOf(anything), "its configuration, by section"),
  },
);
export const languageServer: Schema<LanguageServer | false> = {
  json: {
    anyOf: [languageServerObject.json, { const: false, description: "the one that comes with Hookline is not used" }],
  },
  check: (value, path = []) => {
    if (value === false) return [];
    if (!isRecord(value)) return [{ path, expected: "an object, or false", found: kindOf(value) }];
    return languageServerObject.check(value, path);
  },
};

export const modelName: Schema<string> = text("the model that is asked where a hook names none, as provider/model");
export const windowSize: Schema<number> = integer("tokens", 1);

export type ConfigKeyName =
  | "apps"
  | "extensions"
  | "mcp_servers"
  | "models"
  | "language_servers"
  | "hook_engine"
  | "notifications"
  | "notify"
  | "webhooks"
  | "memory"
  | "budgets";
interface ConfigKey {
  description: string;
  json: Fields;
}

const mapSchema = (item: Json, description: string): Fields => ({
  type: "object",
  description,
  additionalProperties: item,
});

export const configKeys: { readonly [K in ConfigKeyName]: ConfigKey } = {
  apps: {
    description: "app files with rules for single agents, as paths from the folder of this file",
    json: listOf(text("a path")).json,
  },
  extensions: {
    description: "modules that register conditions, actions and hooks: a path that begins with a dot, or a package",
    json: listOf(text("a path or a package's name")).json,
  },
  mcp_servers: {
    description: "the servers whose tools rules may call as server.tool",
    json: mapSchema(mcpServer.json, "by the name that tools are called with"),
  },
  models: {
    description: "the models behind prompt and agent hooks",
    json: {
      type: "object",
      additionalProperties: false,
      properties: {
        default: modelName.json,
        providers: mapSchema(provider.json, "by the name that stands before the slash of a model's name"),
        windows: mapSchema(windowSize.json, "context sizes in tokens, by how a model's name begins"),
      },
    },
  },
  language_servers: {
    description: "the language servers that lsp_diagnose asks; the usual ones are known",
    json: mapSchema(languageServer.json, "by a name of yours, or that of a known one to change it"),
  },
  hook_engine: { description: "how automations run", json: engineSettings.json },
  notifications: {
    description: "places that get notices of automations; only in your own file",
    json: mapSchema(noticeChannel.json, "by a name of yours"),
  },
  notify: {
    description: "the notifications that are sent where neither an automation nor its project says so",
    json: listOf(text("the name of one under notifications")).json,
  },
  webhooks: {
    description: "who may send events to the daemon from outside; only in your own file",
    json: mapSchema(inboundWebhook.json, "by the name that stands in their address"),
  },
  memory: { description: "how projects remember", json: memorySettings.json },
  budgets: { description: "how long events and single hooks may take, in milliseconds", json: budgetsSchema.json },
};

export const configKeyNames: readonly string[] = ["hooks", ...Object.keys(configKeys)];
export const isConfigKey = (key: string): key is ConfigKeyName => Object.hasOwn(configKeys, key);
