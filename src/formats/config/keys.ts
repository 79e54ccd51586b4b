/** The keys of hookline.yaml beside its hooks, in one table: it makes the checks, the readers, the JSON Schema and the documentation. */
import { dirname, isAbsolute, resolve } from "node:path";
import type { ShellSettings } from "../../engine/effects.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import type { Origin } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { unansweredAsks } from "../../engine/ports.ts";
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
import { address } from "../reading/mismatches.ts";
import { membersOf, type Node, reportError } from "../reading/tree.ts";
import type { YamlFile } from "../reading/yaml-tree.ts";
import {
  type Budgets,
  type Config,
  type EngineSettings,
  type InboundWebhook,
  type LanguageServer,
  type McpServer,
  type MemorySettings,
  type ModelSettings,
  type NoticeChannel,
  noticeKinds,
  type Provider,
  providerKinds,
  type TelemetrySettings,
  telemetrySignals,
} from "./config.ts";
import { entries, type Kind, parts, type Reader, single, texts } from "./readers.ts";
import { allowedProviders, isUsable, ofUser } from "./refusals.ts";

/** What holds where the file says nothing (specification 000, section 14). */
export const engineDefaults: Required<EngineSettings> = {
  enabled: true,
  max_concurrent_hooks: 2,
  file_watcher_enabled: true,
  file_watcher_poll_interval: 10,
  file_watcher_debounce_seconds: 5,
};

/** In seconds, as is the longest: less than one look a day is as good as none. */
const shortestPoll = 0.1;
const longestPoll = 86_400;
const longestQuiet = 86_400;

const engine: Kind<EngineSettings> = parts({
  enabled: single(say(flag, "false: no automation runs, except by hand", engineDefaults.enabled)),
  max_concurrent_hooks: single(
    say(
      integer(undefined, 1),
      "how many automations run at once, on this machine",
      engineDefaults.max_concurrent_hooks,
    ),
  ),
  file_watcher_enabled: single(say(flag, "false: no file or folder is watched", engineDefaults.file_watcher_enabled)),
  file_watcher_poll_interval: single(
    say(
      numberWithin(shortestPoll, longestPoll),
      "seconds between two looks, where the system does not report changes",
      engineDefaults.file_watcher_poll_interval,
    ),
  ),
  file_watcher_debounce_seconds: single(
    say(
      numberWithin(0, longestQuiet),
      "seconds without a change in a folder before its changes are sent",
      engineDefaults.file_watcher_debounce_seconds,
    ),
  ),
});

const everyChannel = {
  events: say(listOf(oneOf(...noticeKinds)), "which notices; default: all"),
  summary_length: integer("characters of the model's answer in a notice; default: 200", 0),
};
const place = "where notices are posted";
const discordWebhook = object(
  { kind: say(oneOf("discord"), place), webhook_url: text("the webhook's address, best as ${NAME}") },
  everyChannel,
);
const discordBot = object(
  {
    kind: say(oneOf("discord"), place),
    bot_token: text("the bot's token, best as ${NAME}"),
    channel_id: text("the channel that it writes to"),
  },
  everyChannel,
);
const slack = object(
  { kind: say(oneOf("slack"), place), webhook_url: text("the webhook's address, best as ${NAME}") },
  everyChannel,
);
const webhook = object(
  { kind: say(oneOf("webhook"), place), url: address("where a JSON object is posted to") },
  {
    headers: say(mapOf(text()), "sent with each message; ${NAME} in them is filled from the environment"),
    secret: text("signs each message by Standard Webhooks: whsec_ and base64, best as ${NAME}"),
    ...everyChannel,
  },
);
const kindOfChannel = oneOf("discord", "slack", "webhook");

/** They differ by kind, and two of one kind by a member that only one has. */
const noticeChannel: Schema<NoticeChannel> = {
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

/** Agents send their own events; no other sender may pass for an agent. */
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
export const isApplicationEvent = (name: string): boolean =>
  name.length <= 200 && /^[^\s.\p{Cc}]+(\.[^\s.\p{Cc}]+)+$/u.test(name);

const inboundWebhook: Schema<InboundWebhook> = object(
  { secret: text("what its messages are signed with, by Standard Webhooks: whsec_ and base64, best as ${NAME}") },
  { event: applicationEvent, project: text("the project that its events are of") },
);

const memory: Kind<MemorySettings> = parts({
  embeddings: single(
    text(
      "the model that makes embeddings, as provider/model, of a provider that speaks OpenAI's protocol; default: only words are searched",
    ),
  ),
});

const textMap = (description: string): Schema<{ [name: string]: string }> => say(mapOf(text()), description);

/** In seconds: OpenTelemetry's own default, and what no collector needs more or less often. */
export const usualMetricsInterval = 60;
const telemetry: Kind<TelemetrySettings> = parts({
  enabled: single(say(flag, "false: nothing is sent, whatever OpenTelemetry's variables say")),
  endpoint: single(
    text("the collector's address, to which /v1/traces and /v1/metrics are added: http://127.0.0.1:4318"),
  ),
  headers: single(textMap("sent with each request; ${NAME} in them is filled from the environment")),
  service_name: single(say(text(), "what the daemon is called there", "hookline")),
  signals: single(say(listOf(oneOf(...telemetrySignals)), "what is sent; default: both")),
  contents: single(
    say(
      flag,
      "true: commands, outputs and reasons are sent, too, with secrets taken out as far as they are known",
      false,
    ),
  ),
  metrics_interval: single(say(numberWithin(1, 3_600), "seconds between two reports of metrics", usualMetricsInterval)),
  scrape_token: single(
    text(
      "who sends it as a bearer token may read GET /metrics of the daemon, and nothing else; at least 16 characters",
    ),
  ),
});

const milliseconds: Schema<number> = integer("milliseconds", 1);
const budgetOfEvents = entries(
  "event",
  milliseconds,
  "what the hooks of an event may take together, by the event's name",
);

const budgets: Kind<Budgets> = parts({
  events: {
    ...budgetOfEvents,
    read: (node, name, reader) => byOwnNames(budgetOfEvents.read(node, name, reader), node, reader),
  },
  hooks: entries("hook", milliseconds, "what one hook may take, by its name or id"),
});

/** Events are kept by their own names. */
function byOwnNames(written: { [event: string]: number }, node: Node, { file }: Reader): { [event: string]: number } {
  const events: { [event: string]: number } = {};
  for (const { key, at } of membersOf(node)) {
    const limit = Object.hasOwn(written, key) ? written[key] : undefined;
    const names = resolveEvent(key);
    for (const name of names ?? []) if (limit !== undefined) events[name] = limit;
    if (names) continue;
    const suggestion = didYouMean(key, eventNames) ?? "docs/events.md lists their names";
    reportError(file.report, at, { code: "unknown-event", message: `no event is called "${key}"`, suggestion });
  }
  return events;
}

const timeout: Schema<number> = number("seconds that one call may take", 0);

const program = object(
  { command: text("the program; Hookline talks to it over its standard input and output") },
  {
    args: say(listOf(text()), "its arguments"),
    env: textMap("further variables of its environment; ${NAME} in them is filled"),
    cwd: text("the folder it works in; default: the project's"),
    timeout,
  },
);
const server = object(
  { url: address("the address of a server that speaks streamable HTTP") },
  { headers: textMap("sent with each request; ${NAME} in them is filled from the environment"), timeout },
);

const mcpServer: Schema<McpServer> = {
  json: { anyOf: [program.json, server.json] },
  check: (value, path) => (isRecord(value) && "url" in value ? server : program).check(value, path),
};

const provider: Schema<Provider> = object(
  { kind: say(oneOf(...providerKinds), "which protocol it speaks") },
  {
    url: address("its address, where it is not the provider's own"),
    key_variable: text("the environment variable that holds the key; not in a project's file beside a url"),
    key: text("the key itself; in the user's own file alone"),
    headers: textMap("sent with each request"),
  },
);

const languageServerObject: Schema<LanguageServer> = object(
  {
    command: text("the program; Hookline talks to it over its standard input and output"),
    extensions: say(listOf(text()), "the endings of the files it is asked about, with the dot"),
  },
  {
    args: say(listOf(text()), "its arguments"),
    language: text("LSP's name of the language; default: by the file ending"),
    initialization: say(mapOf(anything), "what it is initialized with"),
    settings: say(mapOf(anything), "its configuration, by section"),
  },
);
const languageServer: Schema<LanguageServer | false> = {
  json: {
    anyOf: [languageServerObject.json, { const: false, description: "the one that comes with Hookline is not used" }],
  },
  check: (value, path = []) => {
    if (value === false) return [];
    if (!isRecord(value)) return [{ path, expected: "an object, or false", found: kindOf(value) }];
    return languageServerObject.check(value, path);
  },
};

const modelName: Schema<string> = text("the model that is asked where a hook names none, as provider/model");
const windowSize: Schema<number> = integer("tokens", 1);
const providers = entries("provider", provider, "by the name that stands before the slash of a model's name");

const models: Kind<ModelSettings> = parts({
  default: single(modelName),
  providers: {
    ...providers,
    read: (node, name, reader) => allowedProviders(providers.read(node, name, reader), node, reader),
  },
  windows: entries("window", windowSize, "context sizes in tokens, by how a model's name begins"),
});

const shell: Kind<ShellSettings> = parts({
  runs_others: single(
    say(
      listOf(say(text(), "a program, such as rtk")),
      "programs that run what stands behind them, beside those that are known",
    ),
  ),
  unread: entries(
    "tool",
    say(oneOf("ask", "pass"), "what follows where nothing but its shell is unknown; default: ask"),
    "by the tool of a shell that Hookline cannot read: PowerShell",
  ),
});

const paths = texts("a path");
const modules = texts("a path or a package's name");

const channels = entries("notification", noticeChannel, "by a name of yours");
const senders = entries("webhook", inboundWebhook, "by the name that stands in their address");

interface ConfigKey<T> extends Kind<T | undefined> {
  description: string;
}
const key = <T>(description: string, kind: Kind<T | undefined>): ConfigKey<T> => ({ ...kind, description });

/** By their name in the file. */
const keys = {
  apps: key("app files with rules for single agents, as paths from the folder of this file", {
    ...paths,
    read: (node, name, reader) => paths.read(node, name, reader).map((path) => absolute(path, reader.file.origin)),
  }),
  extensions: key("modules that register conditions, actions and hooks: a path that begins with a dot, or a package", {
    ...modules,
    read: (node, name, reader) => modules.read(node, name, reader).map((one) => extensionOf(one, node, reader.file)),
  }),
  mcp_servers: key(
    "the servers whose tools rules may call as server.tool",
    entries("server", mcpServer, "by the name that tools are called with"),
  ),
  models: key("the models behind prompt and agent hooks", models),
  language_servers: key(
    "the language servers that lsp_diagnose asks; the usual ones are known",
    entries("language server", languageServer, "by a name of yours, or that of a known one to change it"),
  ),
  hook_engine: key("how automations run", engine),
  notifications: key(
    "where runs of automations are reported; only in your own file",
    ofUser(channels, "a project's file may not say where runs are reported: what they found would be sent there"),
  ),
  notify: key(
    "the notifications that are sent where neither an automation nor its project says so",
    texts("the name of one under notifications"),
  ),
  webhooks: key(
    "who may send events to the daemon from outside; only in your own file",
    ofUser(
      {
        ...senders,
        read(node, name, reader) {
          const all = Object.entries(senders.read(node, name, reader));
          return Object.fromEntries(all.filter(([sender]) => isUsable(sender, node, reader)));
        },
      },
      "a project's file may not say who can send events: it would hold its own secret",
    ),
  ),
  memory: key("how projects remember", memory),
  telemetry: key(
    "where the daemon sends traces and metrics of OpenTelemetry, and who may read its metrics; only in your own file",
    ofUser(telemetry, "a project's file may not say where what happens here is sent, or who may read it"),
  ),
  self_protection: key(
    "asks before a call changes hooks, their settings or start files of shells, unless it is false; only in your own file",
    ofUser(single(flag), "a project's file may not say what protects you"),
  ),
  headless_ask: key(
    "what becomes of a hook's question where no person can answer it: deny, allow, or pass (as if it had not been asked); default: deny; only in your own file",
    ofUser(single(oneOf(...unansweredAsks)), "a project's file may not say what happens without you"),
  ),
  shell: key(
    "what Hookline does not know of your shells: programs that run others, and shells that it cannot read; only in your own file",
    ofUser(shell, "a project's file may not say how your guards read a line"),
  ),
  budgets: key("how long events and single hooks may take, in milliseconds", budgets),
};
export const configKeys: { readonly [key: string]: ConfigKey<unknown> } = keys;

/** Keys that have another name in a Config. */
const fields: { readonly [key: string]: keyof Config } = {
  mcp_servers: "mcpServers",
  language_servers: "languageServers",
  hook_engine: "engine",
  self_protection: "selfProtection",
  headless_ask: "headlessAsk",
};

/** What a key of the file says; undefined: nothing that holds. */
export function readKey(name: string, node: Node, reader: Reader): Partial<Config> {
  const value = configKeys[name]?.read(node, `"${name}"`, reader);
  return value === undefined ? {} : { [fields[name] ?? name]: value };
}

export const configKeyNames: readonly string[] = ["hooks", ...Object.keys(configKeys)];
export const isConfigKey = (name: string): boolean => Object.hasOwn(configKeys, name);

const folderOf = ({ root, file = "." }: Origin): string => root ?? dirname(file);
const absolute = (path: string, origin: Origin): string => resolve(folderOf(origin), path);

/** As in imports: a path begins with a dot or is absolute. So does a name with the ending of a module. */
function extensionOf(name: string, list: Node, { origin, locate }: YamlFile): Config["extensions"][number] {
  const isPath =
    /^\.\.?([/\\]|$)/.test(name) || isAbsolute(name) || (!name.startsWith("@") && /\.[mc]?[jt]s$/.test(name));
  const { offset } = list.children?.find(({ value }) => typeof value === "string" && value.trim() === name) ?? list;
  return { name: isPath ? absolute(name, origin) : name, from: origin.file ?? "", at: locate(offset) };
}
