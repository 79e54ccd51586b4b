/** hookline.yaml and the user's config.yaml: settings beside hooks. Pure; never throws: what is wrong is a problem (R33). */

import { isAbsolute } from "node:path";
import type { Hook, Layer, Origin, Problem } from "../../engine/hook.ts";
import { membersOf, reportError } from "../reading/tree.ts";
import { openYaml, type YamlFile } from "../reading/yaml-tree.ts";
import { hooksOf, type RulesOptions, reportUnread } from "../rules/rules.ts";
import { type Budgets, type Config, emptyConfig, type ModelSettings } from "./config.ts";
import { configKeyNames, isConfigKey, readKey } from "./keys.ts";
import type { Reader } from "./readers.ts";

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
    Object.assign(config, readKey(member.key, member.value, reader));
  }
  reportUnread(root, file, keys);
  const { registry, patterns, label = "hookline.yaml", ...rest } = options;
  const lists = membersOf(root).flatMap(({ key, value }) => (key === "hooks" ? [{ list: value }] : []));
  const hooks = registry && patterns ? hooksOf(lists, file, { ...rest, registry, patterns, label }) : [];
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

/**
 * Two files' settings as one; the inner file wins. But a provider that an outer file names stays as it is there: no
 * inner file may redirect what is sent to it.
 */
export function mergeConfig(outer: Config, inner: Partial<Config>): Config {
  const { apps, extensions, mcpServers, models, languageServers, ...given } = { ...emptyConfig, ...inner };
  const { notify = outer.notify } = given;
  // The outer layer's word stands.
  const { selfProtection = given.selfProtection, headlessAsk = given.headlessAsk, telemetry = given.telemetry } = outer;
  const shell = outer.shell ?? given.shell;
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
    ...(selfProtection === undefined ? {} : { selfProtection }),
    ...(headlessAsk === undefined ? {} : { headlessAsk }),
    ...(telemetry ? { telemetry } : {}),
    ...(shell ? { shell } : {}),
  };
}

/** The same, where a project's file says it: what a request to its servers may lead to depends on that. */
export function ofProject(config: Config): Config {
  const marked = <T extends object>(all: { [name: string]: T }): { [name: string]: T } =>
    Object.fromEntries(
      Object.entries(all).map(([name, one]) => [name, "url" in one ? { ...one, ofProject: true } : one]),
    );
  const { providers, ...models } = config.models;
  return {
    ...config,
    mcpServers: marked(config.mcpServers),
    models: { ...models, ...(providers ? { providers: marked(providers) } : {}) },
  };
}

const isFirst = (one: Config["extensions"][number], at: number, all: Config["extensions"]): boolean =>
  all.findIndex(({ name, from }) => name === one.name && (isAbsolute(name) || from === one.from)) === at;

const mergeModels = (outer: ModelSettings, inner: ModelSettings): ModelSettings => ({
  ...outer,
  ...inner,
  ...(outer.providers && inner.providers ? { providers: { ...inner.providers, ...outer.providers } } : {}),
  ...(outer.windows && inner.windows ? { windows: { ...outer.windows, ...inner.windows } } : {}),
});

const mergeBudgets = (outer: Budgets, inner: Budgets): Budgets => ({
  ...outer,
  ...inner,
  ...(outer.events && inner.events ? { events: { ...outer.events, ...inner.events } } : {}),
  ...(outer.hooks && inner.hooks ? { hooks: { ...outer.hooks, ...inner.hooks } } : {}),
});
