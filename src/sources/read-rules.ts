/** The files of every layer that are written in YAML: settings, rules and app files, each as a source of hooks (R58). */
import { messageOf } from "../core/error.ts";
import type { Hook, Origin, Problem } from "../core/hook.ts";
import type { Patterns, Registry } from "../core/ports.ts";
import { type Config, emptyConfig } from "../dialects/config.ts";
import type { mergeConfig, readConfig } from "../dialects/config-file.ts";
import type { compileRules } from "../dialects/rules.ts";
import type { HookFile } from "./places.ts";
import type { Source } from "./precedence.ts";
import { readSmallFile } from "./read-file.ts";
import { configFiles, extensionsOf, type ModulePlace, modulesIn, type RulePlace, ruleFiles } from "./rule-places.ts";

/** The dialect and what it compiles for. Given by whoever loads it: most projects have no YAML, and it costs 30 ms. */
export interface RulesReader {
  compileRules: typeof compileRules;
  readConfig: typeof readConfig;
  mergeConfig: typeof mergeConfig;
  largestFileInBytes: number;
  registry: Registry;
  patterns: Patterns;
  /** Events that an agent here can send. */
  sendable?: ReadonlySet<string>;
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
  }
  return read;
}

/** One file by itself, in the format that its name tells. */
export function readRuleFile(file: HookFile, reader: RulesReader | undefined): ReadRules {
  const read = nothingRead();
  if (file.flavour === "config") readConfigFile(file, reader, read);
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

const optionsOf = ({ label }: HookFile, { registry, patterns, sendable }: RulesReader) => ({
  label,
  registry,
  patterns,
  ...(sendable ? { sendable } : {}),
});

const originOf = ({ layer, path, root }: HookFile): Origin => ({
  dialect: "rules",
  layer,
  file: path,
  ...(root ? { root } : {}),
});

function keep(file: HookFile, { hooks, problems }: { hooks: Hook[]; problems: Problem[] }, read: ReadRules): void {
  read.problems.push(...problems);
  read.sources.push(sourceOf(file, hooks, problems));
}

/** Rules have none of the switches that settings files have. */
export const sourceOf = (file: HookFile, hooks: Hook[], problems: Problem[]): Source => ({
  file,
  hooks,
  compiled: {
    hooks,
    problems,
    switches: {},
    speaksOf: [],
    enabledPlugins: {},
    placeOf: () => ({ line: 1, column: 1 }),
  },
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
  const reason = found.is === "absent" ? "it does not exist" : found.reason;
  read.problems.push(unreadable(file.path, reason));
  read.sources.push(sourceOf(file, [], [])); // it counts as there, with nothing in it
  return undefined;
}

export const unreadable = (file: string, reason: unknown): Problem => ({
  severity: "error",
  code: "unreadable",
  message: `the file cannot be read: ${messageOf(reason)}`,
  suggestion: "check its path and rights",
  file,
  line: 1,
  column: 1,
});
