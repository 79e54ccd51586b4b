/** hookline.yaml and the user's config.yaml: settings beside hooks. Pure; never throws: what is wrong is a problem (R33). */

import { dirname, isAbsolute, resolve } from "node:path";
import type { Hook, Layer, Origin, Problem } from "../../engine/hook.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { isRecord } from "../../engine/schema.ts";
import { membersOf, type Node } from "../reading/tree.ts";
import { openYaml, type YamlFile } from "../reading/yaml-tree.ts";
import { reportError } from "../rules/parameters.ts";
import { hooksOf, type RuleList, type RulesOptions, reportUnread } from "../rules/rules.ts";
import { type Config, emptyConfig, type ModelSettings, type Provider, providerKinds } from "./config.ts";
import {
  type ConfigKeyName,
  configKeyNames,
  isConfigKey,
  languageServer,
  mcpServer,
  modelName,
  provider,
  windowSize,
} from "./keys.ts";
import {
  automationReaders,
  budgetsOf,
  entriesOf,
  mapOf,
  mergeBudgets,
  ownFile,
  type Reader,
  textsOf,
} from "./readers.ts";

interface ConfigOptions extends Partial<Omit<RulesOptions, "kind">> {
  /** A project's file may not say where keys go. */
  layer: Layer;
}
export interface ReadConfig {
  /** What the file speaks of. */
  config: Partial<Config>;
  /** Where a registry and patterns were given. */
  hooks: Hook[];
  problems: Problem[];
}

export function readConfig(text: string, origin: Origin, options: ConfigOptions): ReadConfig {
  const file = openYaml(text, origin);
  const reader: Reader = { file, ofProject: !["managed", "user"].includes(options.layer) };
  const { root } = file;
  if (!root) tellOfEmpty(text, file);
  if (root?.type !== "object") {
    const fault = "this file is a map: hooks, models, mcp_servers and so on";
    const finding = { code: "shape", message: fault, suggestion: "write hooks: [ … ]", loses: true } as const;
    if (root) reportError(file.report, root.offset, finding);
    return { config: {}, hooks: [], problems: file.problems() };
  }
  const config: Partial<Config> = {};
  for (const member of membersOf(root)) {
    if (isConfigKey(member.key)) Object.assign(config, readers[member.key](member.value, reader));
  }
  reportUnread(root, file, keys);
  const hooks = hooksIn(listsIn(root), file, options);
  return { config, hooks, problems: file.problems() };
}

const keys: Parameters<typeof reportUnread>[2] = {
  isKnown: (key) => key === "hooks" || isConfigKey(key) || key.startsWith("x-"),
  names: configKeyNames,
  advice: `known: ${configKeyNames.join(", ")}`,
};

/** A file of comments alone says nothing on purpose. */
function tellOfEmpty(text: string, { report }: YamlFile): void {
  if (text.trim() !== "") return;
  const finding = { severity: "warning", code: "shape", message: "the file is empty" } as const;
  report(0, { ...finding, suggestion: "write hooks: [], or remove the file" });
}

const listsIn = (root: Node): RuleList[] =>
  membersOf(root).flatMap(({ key, value }) => (key === "hooks" ? [{ list: value }] : []));

function hooksIn(
  lists: readonly RuleList[],
  file: YamlFile,
  { registry, patterns, label = "hookline.yaml", ...rest }: ConfigOptions,
): Hook[] {
  if (!registry || !patterns) return [];
  return hooksOf(lists, file, { ...rest, registry, patterns, label });
}

const readers: { readonly [K in ConfigKeyName]: (node: Node, reader: Reader) => Partial<Config> } = {
  apps: (node, { file }) => ({ apps: textsOf(node, "apps", file).map((path) => absolute(path, file.origin)) }),
  extensions: (node, { file }) => ({
    extensions: textsOf(node, "extensions", file).map((name) => extensionOf(name, file.origin)),
  }),
  mcp_servers: (node, { file }) => ({ mcpServers: entriesOf(node, "mcp_servers", "server", mcpServer, file) }),
  models: (node, reader) => ({ models: modelsOf(node, reader) }),
  language_servers: (node, { file }) => ({
    languageServers: entriesOf(node, "language_servers", "language server", languageServer, file),
  }),
  ...automationReaders,
  budgets: (node, { file }) => ({ budgets: budgetsOf(node, file) }),
};

const folderOf = ({ root, file = "." }: Origin): string => root ?? dirname(file);
const absolute = (path: string, origin: Origin): string => resolve(folderOf(origin), path);

/** As in imports: a path begins with a dot or is absolute. A module's ending tells of one that was written without. */
function extensionOf(name: string, origin: Origin): Config["extensions"][number] {
  const isPath =
    /^\.\.?([/\\]|$)/.test(name) || isAbsolute(name) || (!name.startsWith("@") && /\.[mc]?[jt]s$/.test(name));
  return { name: isPath ? absolute(name, origin) : name, from: origin.file ?? "" };
}

const modelKeys = ["default", "providers", "windows"];

function modelsOf(node: Node, { file, ofProject }: Reader): ModelSettings {
  const models: ModelSettings = {};
  for (const { key, at, value } of mapOf(node, "models", file)) {
    if (key === "default") {
      const [wrong] = modelName.check(value.value);
      if (wrong)
        reportError(file.report, value.offset, { code: "wrong-type", message: '"default" needs provider/model' });
      else models.default = String(value.value);
    } else if (key === "providers") {
      const all = entriesOf(value, "providers", "provider", provider, file);
      models.providers = ofProject ? allowedOf(all, value, file) : all;
    } else if (key === "windows") models.windows = entriesOf(value, "windows", "window", windowSize, file);
    else {
      const suggestion = didYouMean(key, modelKeys) ?? `known: ${modelKeys.join(", ")}`;
      reportError(file.report, at, { code: "unknown-field", message: `"models" has no "${key}"`, suggestion });
    }
  }
  return models;
}

type Providers = { [name: string]: Provider };

/** A project that somebody else wrote must not be able to send the user's keys, or what is asked, to a server of its own. */
function allowedOf(all: Providers, node: Node, { report }: YamlFile): Providers {
  const allowed: Providers = {};
  for (const { key: name, at, value } of membersOf(node)) {
    const one = Object.hasOwn(all, name) ? all[name] : undefined;
    if (!one) continue;
    const refusal = refusalOf(name, one);
    if (refusal) {
      const place = membersOf(value).find(({ key }) => key === refusal.key)?.at ?? at;
      const { message, suggestion } = refusal;
      reportError(report, place, { code: "setting-refused", message, suggestion });
    } else allowed[name] = one;
  }
  return allowed;
}

interface Refusal {
  key: string;
  message: string;
  suggestion: string;
}

function refusalOf(name: string, { kind, url, key, key_variable: variable }: Provider): Refusal | undefined {
  if (key !== undefined) {
    const message = `the key of ${name} is in a project's file, which others can read`;
    return { key: "key", message, suggestion: `${ownFile}, or name a key_variable` };
  }
  if (providerKinds.some((known) => known === name)) {
    const message = `a project's file may not put anything else in the place of ${name}`;
    return { key: url === undefined ? "kind" : "url", message, suggestion: "give it a name of its own" };
  }
  if (url === undefined) return undefined;
  if (variable !== undefined) {
    const message = `a project's file may not say where the key in ${variable} is sent`;
    return { key: "key_variable", message, suggestion: ownFile };
  }
  if (kind !== "openai-compatible") {
    const message = `a project's file may not say where ${kind} is, because your key would be sent there`;
    return { key: "url", message, suggestion: `${ownFile}, or write kind: openai-compatible` };
  }
  return undefined;
}

/**
 * Two files' settings as one; the inner file wins. But a provider that an outer file names stays as it is there: nobody
 * inside may redirect what is sent to it.
 */
export function mergeConfig(outer: Config, inner: Partial<Config>): Config {
  const { apps, extensions, mcpServers, models, languageServers, ...given } = { ...emptyConfig, ...inner };
  const { notify = outer.notify } = given;
  return {
    ...outer,
    apps: [...new Set([...outer.apps, ...apps])],
    extensions: [...outer.extensions, ...extensions].filter(isFirst),
    mcpServers: { ...outer.mcpServers, ...mcpServers },
    models: mergeModels(outer.models, models),
    languageServers: { ...outer.languageServers, ...languageServers },
    engine: { ...outer.engine, ...given.engine },
    notifications: { ...outer.notifications, ...given.notifications },
    webhooks: { ...outer.webhooks, ...given.webhooks },
    memory: { ...outer.memory, ...given.memory },
    budgets: mergeBudgets(outer.budgets, given.budgets),
    ...(notify ? { notify } : {}),
  };
}

const isFirst = (one: Config["extensions"][number], at: number, all: Config["extensions"]): boolean =>
  all.findIndex(({ name, from }) => name === one.name && (isAbsolute(name) || from === one.from)) === at;

function mergeModels(outer: ModelSettings, inner: ModelSettings): ModelSettings {
  const providers = merged(inner.providers, outer.providers);
  const windows = merged(outer.windows, inner.windows);
  return { ...outer, ...inner, ...(providers ? { providers } : {}), ...(windows ? { windows } : {}) };
}

const merged = <T extends object>(first: T | undefined, second: T | undefined): T | undefined =>
  isRecord(first) || isRecord(second) ? ({ ...first, ...second } as T) : undefined; // both are maps of one type, or absent
