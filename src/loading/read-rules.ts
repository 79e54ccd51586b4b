/** The files of every layer that hold YAML: settings, rules and app files, repository hooks and scripts, each as a source of hooks (R58). */
import { toolNames } from "../agents/index.ts";
import type { Origin, Problem } from "../engine/hook.ts";
import type { Patterns, Registry } from "../engine/ports.ts";
import type { ModelFault } from "../formats/automations/automation.ts";
import type { LlmConfig } from "../formats/automations/fields.ts";
import type { compileAutomationFile } from "../formats/automations/file.ts";
import type { Times } from "../formats/automations/trigger.ts";
import { type Config, emptyConfig, type ModelSettings } from "../formats/config/config.ts";
import type { mergeConfig, readConfig } from "../formats/config/file.ts";
import type { compileRegistry, reportSameIds } from "../formats/registry/registry.ts";
import type { compileRules } from "../formats/rules/rules.ts";
import { projectOfFolder } from "./automation-places.ts";
import { checkTogether, keep, keepUnreadable, originOf } from "./file-source.ts";
import type { HookFile } from "./places.ts";
import type { Source } from "./precedence.ts";
import { readSmallFile } from "./read-file.ts";
import { readScript, readScripts, type ScriptDialect } from "./read-scripts.ts";
import {
  configFiles,
  extensionsOf,
  fileAt,
  type ModulePlace,
  modulesIn,
  type RulePlace,
  ruleFiles,
  yamlIn,
} from "./rule-places.ts";

/** The dialect and what it compiles for. Given by whoever loads it: most projects have no YAML, and it costs 30 ms. */
export interface RulesReader {
  compileRules: typeof compileRules;
  readConfig: typeof readConfig;
  mergeConfig: typeof mergeConfig;
  compileRegistry: typeof compileRegistry;
  reportSameIds: typeof reportSameIds;
  scripts: ScriptDialect;
  automations: AutomationDialect;
  largestFileInBytes: number;
  /** Which environment this is, for repository hooks that are for some only (R39). */
  environment: string;
  platform: string;
  registry: Registry;
  patterns: Patterns;
  /** Events that an agent here can send. */
  sendable?: ReadonlySet<string>;
}
export interface AutomationDialect {
  compileAutomationFile: typeof compileAutomationFile;
  times: Times;
  /** What is wrong with the model that an automation names, or with there being none. */
  modelFault?(llm: LlmConfig | null, models: ModelSettings): ModelFault | undefined;
}
export interface ReadRules {
  sources: Source[];
  problems: Problem[];
  /** What all layers say together. */
  config: Config;
  /** What stands above every project: it holds for the user's own hooks. */
  userConfig: Config;
  modules: ModulePlace[];
  /** Files that only a reader could read. */
  unread: string[];
  watched: string[];
}

/** Never throws: what cannot be read is a problem. Without a reader nothing is read, and `unread` says what was found. */
export function readRules(places: readonly RulePlace[], reader: RulesReader | undefined): ReadRules {
  const read = nothingRead();
  const perPlace = places.map((place) => ({ place, own: readConfigs(place, reader, read) }));
  for (const { place, own } of perPlace) {
    read.modules.push(...extensionsOf(place, own.extensions), ...modulesIn(place));
    const servers = new Set([...Object.keys(read.config.mcpServers), "hookline"]);
    for (const file of ruleFiles(place, own.apps)) readFile(file, reader, read, servers);
    const registry = place.registry.flatMap(yamlIn).map((path) => fileAt(path, "registry", place));
    for (const file of registry) readRegistryFile(file, reader, read);
    const automations = yamlIn(place.automations).map((path) => fileAt(path, "automation", place));
    for (const file of automations) readAutomationFile(file, reader, read);
    readScripts(place, reader, read);
  }
  if (!reader) return read;
  checkTogether("registry", reader.reportSameIds, read);
  checkTogether("script", reader.scripts.distinctSlugs, read); // outputs of all of a session's scripts lie together
  return read;
}

/** One file by itself, in the format that its name tells. */
export function readRuleFile(file: HookFile, reader: RulesReader | undefined): ReadRules {
  const read = nothingRead();
  if (file.flavour === "config") readConfigFile(file, reader, read);
  else if (file.flavour === "registry") readRegistryFile(file, reader, read);
  else if (file.flavour === "script") readScript(file, reader, read);
  else if (file.flavour === "automation") readAutomationFile(file, reader, read);
  else readFile(file, reader, read);
  return read;
}

const nothingRead = (): ReadRules => ({
  sources: [],
  problems: [],
  config: emptyConfig,
  userConfig: emptyConfig,
  modules: [],
  unread: [],
  watched: [],
});

function readConfigs(place: RulePlace, reader: RulesReader | undefined, read: ReadRules): Config {
  let own = emptyConfig;
  for (const file of configFiles(place)) {
    const config = readConfigFile(file, reader, read);
    if (reader && config) own = reader.mergeConfig(own, config);
  }
  if (reader) {
    read.config = reader.mergeConfig(read.config, own);
    if (place.ofUser) read.userConfig = read.config;
  }
  return own;
}

function readConfigFile(file: HookFile, reader: RulesReader | undefined, read: ReadRules): Config | undefined {
  const text = textOf(file, reader, read);
  if (text === undefined || !reader) return undefined;
  const layer = file.layer === "managed" || file.layer === "user" ? file.layer : "project";
  const found = reader.readConfig(text, originOf(file), { ...optionsOf(file, reader), layer });
  keep(file, found, read);
  return { ...emptyConfig, ...found.config };
}

/** @param modules the tool servers that are configured, where that is known */
function readFile(
  file: HookFile,
  reader: RulesReader | undefined,
  read: ReadRules,
  modules?: ReadonlySet<string>,
): void {
  const text = textOf(file, reader, read);
  if (text === undefined || !reader) return;
  const kind = file.flavour === "app" ? "app" : "rules";
  const options = { ...optionsOf(file, reader), kind, ...(modules ? { modules } : {}) } as const;
  keep(file, reader.compileRules(text, originOf(file), options), read);
}

function readRegistryFile(file: HookFile, reader: RulesReader | undefined, read: ReadRules): void {
  const text = textOf(file, reader, read);
  if (text === undefined || !reader) return;
  const { environment } = reader;
  const origin: Origin = { ...originOf(file), dialect: "registry" };
  keep(file, reader.compileRegistry(text, origin, { ...optionsOf(file, reader), environment }), read);
}

function readAutomationFile(file: HookFile, reader: RulesReader | undefined, read: ReadRules): void {
  const text = textOf(file, reader, read);
  if (text === undefined || !reader) return;
  const { registry, automations, patterns } = reader;
  const { times, modelFault } = automations;
  const { models } = file.ofUser ? read.userConfig : read.config;
  const origin: Origin = { ...originOf(file), dialect: "automation" };
  const options = {
    registry,
    patterns,
    times,
    ...(file.root === undefined ? {} : { project: projectOfFolder(file.root), workspace: file.root }),
    ...(modelFault ? { modelFault: (llm: LlmConfig | null) => modelFault(llm, models) } : {}),
  };
  keep(file, automations.compileAutomationFile(text, origin, options), read);
}

const optionsOf = ({ label }: HookFile, { registry, patterns, sendable }: RulesReader) => ({
  label,
  registry,
  patterns,
  ...(sendable ? { sendable } : {}),
  tools: toolNames(),
});

/** Undefined: there is nothing to compile. */
function textOf(file: HookFile, reader: RulesReader | undefined, read: ReadRules): string | undefined {
  read.watched.push(file.path);
  if (!reader) {
    read.unread.push(file.path);
    return undefined;
  }
  const found = readSmallFile(file.path, reader.largestFileInBytes);
  if (found.is === "read") return found.text;
  keepUnreadable(file, found.is === "absent" ? "it does not exist" : found.reason, read);
  return undefined;
}
