/** The files of every layer that hold YAML: settings, rules and app files, repository hooks and scripts, each as a source of hooks (R58). */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
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
import type { compileScript } from "../formats/scripts/script.ts";
import type { distinctSlugs } from "../formats/scripts/slug.ts";
import { projectOfFolder } from "./automations.ts";
import {
  configFiles,
  extensionsOf,
  fileAt,
  type HookFile,
  type ModulePlace,
  modulesIn,
  type RulePlace,
  ruleFiles,
  yamlIn,
} from "./places.ts";
import type { Source } from "./precedence.ts";
import { checkTogether, keep, keepUnreadable, originOf, readFileHead, readSmallFile, unreadable } from "./read-file.ts";

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

// Finds the workspace scripts of a folder and reads each one's beginning; what looks like one and is none is told of
// (R33).

/** Given by whoever loads it: most projects have no scripts, and front matters need the YAML library. */
interface ScriptDialect {
  compileScript: typeof compileScript;
  headInBytes: number;
  distinctSlugs: typeof distinctSlugs;
}

/** More than any project has: a folder of something else has come into the place of scripts. */
const mostFiles = 1_000;

/** Never throws. A folder that leads to one that was read gives nothing: its scripts run once. */
function readScripts(place: RulePlace, reader: RulesReader | undefined, read: ReadRules): void {
  const seen = new Set<string>();
  for (const folder of place.scripts) {
    const names = namesIn(folder, seen, read);
    for (const name of names.slice(0, mostFiles)) {
      const file = fileAt(join(folder, name), "script", place);
      readScript(place.worktree === undefined ? file : { ...file, root: place.worktree }, reader, read);
    }
    if (names.length > mostFiles)
      read.problems.push(unreadable(folder, `it holds more than ${mostFiles} files, and the others are not looked at`));
  }
}

function namesIn(folder: string, seen: Set<string>, read: ReadRules): string[] {
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (!found) return [];
    const identity = `${found.dev}:${found.ino}`;
    if (found.ino !== 0 && seen.has(identity)) return [];
    seen.add(identity);
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .sort();
  } catch (error) {
    read.problems.push(unreadable(folder, error));
    return [];
  }
}

/** One file: a script, or something that lies beside scripts. */
function readScript(file: HookFile, reader: RulesReader | undefined, read: ReadRules): void {
  const { path, label } = file;
  read.watched.push(path);
  if (!reader) {
    read.unread.push(path);
    return;
  }
  const { compileScript, headInBytes } = reader.scripts;
  const found = readFileHead(path, headInBytes);
  if (found.is === "folder") return;
  if (found.is !== "read") {
    const reason = found.is === "absent" ? "it does not exist, or its name is no UTF-8" : found.reason;
    keepUnreadable(file, reason, read);
    return;
  }
  if (isCopy(path)) {
    read.problems.push(copy(path));
    return;
  }
  const facts = {
    isCut: found.isCut,
    ...(reader.platform === "win32" ? {} : { isExecutable: isExecutable(found.mode) }),
  };
  const origin: Origin = { ...originOf(file), dialect: "script" };
  const { isOther, ...compiled } = compileScript(found.text, facts, origin, {
    label,
    family: /[/\\]\.discobot[/\\]hooks[/\\][^/\\]+$/.test(path) ? "discobot" : "hookline",
    patterns: reader.patterns,
  });
  if (!isOther) keep(file, compiled, read);
}

const isExecutable = (mode: number): boolean => (mode & 0o111) !== 0;

/** What editors and merges leave beside a file has its front matter and its execute bit, too. */
const isCopy = (path: string): boolean => /(~|\.(bak|orig|rej|tmp|swp))$|[/\\]#[^/\\]*#$/.test(path);

const copy = (file: string): Problem => ({
  severity: "note",
  code: "shape",
  message: "it looks like a copy that an editor or a merge has left, so it is no hook",
  suggestion: "remove it, or give it another name",
  file,
  line: 1,
  column: 1,
});
