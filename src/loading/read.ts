/** Reads and compiles what was found: each format in its own way, each file as a source of hooks (R58). */
import { join } from "node:path";
import { toolNames } from "../agents/index.ts";
import { messageOf } from "../engine/error.ts";
import type { Hook, Origin, Problem } from "../engine/hook.ts";
import type { Patterns, Registry } from "../engine/ports.ts";
import type { ModelFault } from "../formats/automations/automation.ts";
import type * as cron from "../formats/automations/cron.ts";
import type { LlmConfig } from "../formats/automations/fields.ts";
import type * as automations from "../formats/automations/file.ts";
import { type Config, emptyConfig, type ModelSettings } from "../formats/config/config.ts";
import type * as config from "../formats/config/file.ts";
import type * as repository from "../formats/registry/registry.ts";
import type * as rules from "../formats/rules/rules.ts";
import type * as scripts from "../formats/scripts/script.ts";
import type * as slugs from "../formats/scripts/slug.ts";
import { projectOfFolder } from "./automations.ts";
import type { Source } from "./order.ts";
import {
  appFiles,
  configFiles,
  extensionsOf,
  type FileFormat,
  fileAt,
  type HookFile,
  isYamlOfHooks,
  type ModulePlace,
  modulesIn,
  type RulePlace,
} from "./places.ts";
import { listFolder, readFileHead, readSmallFile } from "./read-file.ts";
import type { Judge } from "./trust/judge.ts";

/** The formats in YAML. Handed in by the caller: most projects have none, and they take 30 ms to load. */
export interface YamlFormats {
  rules: typeof rules;
  config: typeof config;
  repository: typeof repository;
  scripts: typeof scripts;
  slugs: typeof slugs;
  automations: typeof automations;
  cron: typeof cron;
}

/** The formats, and what files are compiled for. */
export interface YamlReader {
  formats: YamlFormats;
  /** Which environment this is, for repository hooks that are for some only (R39). */
  environment: string;
  platform: string;
  registry: Registry;
  patterns: Patterns;
  /** Events that an agent here can send. */
  sendable?: ReadonlySet<string>;
  /** What is wrong with the model that an automation names, or with there being none. */
  modelFault(llm: LlmConfig | null, models: ModelSettings): ModelFault | undefined;
}

/** What has been read so far. */
export interface Reading {
  sources: Source[];
  problems: Problem[];
  /** Every path looked at, there or not. */
  watched: string[];
  /** Files that only a YAML reader could read. */
  unread: string[];
  modules: ModulePlace[];
  /** What all layers say together. */
  config: Config;
  /** What stands above every project: it holds for the user's own hooks. */
  userConfig: Config;
  /** Absent: everything is trusted. */
  judge?: Judge;
  /** The tool servers that are configured; absent: that is not known. */
  servers?: ReadonlySet<string>;
}

export const startReading = (): Reading => ({
  ...{ sources: [], problems: [], watched: [], unread: [], modules: [] },
  ...{ config: emptyConfig, userConfig: emptyConfig },
});

/** Never throws: what cannot be read is a problem. Without a reader nothing is read, and `unread` says what was found. */
export function readPlaces(places: readonly RulePlace[], reader: YamlReader | undefined, read: Reading): void {
  const perPlace = places.map((place) => ({ place, own: readConfigs(place, reader, read) }));
  read.servers = new Set([...Object.keys(read.config.mcpServers), "hookline"]);
  for (const { place, own } of perPlace) {
    read.modules.push(...extensionsOf(place, own.extensions), ...modulesIn(place));
    const files = [
      ...yamlFiles(place.rules, "rules", { place, read }),
      ...appFiles(place, own.apps),
      ...place.registry.flatMap((folder) => yamlFiles(folder, "registry", { place, read })),
      ...yamlFiles(place.automations, "automation", { place, read }),
    ];
    for (const file of files) readYaml(file, reader, read);
    readScripts(place, reader, read);
  }
  if (!reader) return;
  const { repository, slugs } = reader.formats;
  checkTogether("registry", repository.reportSameIds, read);
  checkTogether("script", slugs.distinctSlugs, read); // outputs of all of a session's scripts lie together
}

/** One file by itself, in the format that its name tells. */
export function readOne(file: HookFile, reader: YamlReader | undefined): Reading {
  const read = startReading();
  if (file.format === "script") readScript(file, reader, read);
  else readYaml(file, reader, read);
  return read;
}

/** The YAML files of a folder in the order of their names. A folder that cannot be listed may hold guards, as a file may (R76). */
function yamlFiles(
  folder: string,
  format: FileFormat,
  { place, read }: { place: RulePlace; read: Reading },
): HookFile[] {
  const found = listFolder(folder);
  if (found.is === "unreadable")
    keep(fileAt(folder, format, place), { hooks: [], problems: [unlisted(folder, found.reason)] }, read);
  if (found.is === "no folder") read.problems.push(unlisted(folder, "it is a file"));
  if (found.is !== "listed") return [];
  return found.names.filter(isYamlOfHooks).map((name) => fileAt(join(folder, name), format, place));
}

function readConfigs(place: RulePlace, reader: YamlReader | undefined, read: Reading): Config {
  const own = configFiles(place).reduce((config, file) => {
    const found = readYaml(file, reader, read)?.config;
    return reader && found ? reader.formats.config.mergeConfig(config, { ...emptyConfig, ...found }) : config;
  }, emptyConfig);
  if (
    !reader ||
    (place.root !== undefined && read.judge && !read.judge.settings(own, { root: place.root, file: labelOf(place) }))
  )
    return own;
  const { mergeConfig, ofProject } = reader.formats.config;
  read.config = mergeConfig(read.config, place.ofUser ? own : ofProject(own));
  if (place.ofUser) read.userConfig = read.config;
  return own;
}

const labelOf = (place: RulePlace): string => configFiles(place)[0]?.label ?? place.prefix;

interface Compiled {
  hooks: Hook[];
  problems: Problem[];
  /** Of a configuration file. */
  config?: Partial<Config>;
}

/** Undefined: there is nothing to compile, which `read` says. */
function readYaml(file: HookFile, reader: YamlReader | undefined, read: Reading): Compiled | undefined {
  read.watched.push(file.path);
  if (!reader) {
    read.unread.push(file.path);
    return undefined;
  }
  const found = readSmallFile(file.path, reader.formats.rules.largestRulesFileInBytes);
  if (found.is !== "read") {
    keepUnreadable(file, found.is === "absent" ? "it does not exist" : found.reason, read);
    return undefined;
  }
  const compile = compilers[file.format] ?? compileRulesFile;
  const compiled = compile(found.text, file, { reader, read });
  keep(file, compiled, read);
  return compiled;
}

type Compile = (text: string, file: HookFile, given: { reader: YamlReader; read: Reading }) => Compiled;

const compileRulesFile: Compile = (text, file, { reader, read: { servers } }) =>
  reader.formats.rules.compileRules(text, originOf(file), {
    ...optionsOf(file, reader),
    kind: file.format === "app" ? "app" : "rules",
    ...(servers ? { modules: servers } : {}),
  });

/** Other formats are rules. */
const compilers: { readonly [format: FileFormat]: Compile | undefined } = {
  config(text, file, { reader }) {
    const layer = file.layer === "managed" || file.layer === "user" ? file.layer : "project";
    return reader.formats.config.readConfig(text, originOf(file), { ...optionsOf(file, reader), layer });
  },
  registry(text, file, { reader }) {
    const { environment, formats } = reader;
    const options = { ...optionsOf(file, reader), environment };
    return formats.repository.compileRegistry(text, { ...originOf(file), dialect: "registry" }, options);
  },
  automation(text, file, { reader, read }) {
    const { registry, patterns, formats, modelFault } = reader;
    const { models } = file.ofUser ? read.userConfig : read.config;
    const { readCron } = formats.cron;
    return formats.automations.compileAutomationFile(
      text,
      { ...originOf(file), dialect: "automation" },
      {
        ...{ registry, patterns, readCron },
        ...(file.root === undefined ? {} : { project: projectOfFolder(file.root), workspace: file.root }),
        modelFault: (llm) => modelFault(llm, models),
      },
    );
  },
};

const optionsOf = ({ label }: HookFile, { registry, patterns, sendable }: YamlReader) => ({
  ...{ label, registry, patterns, tools: toolNames() },
  ...(sendable ? { sendable } : {}),
});

/** More than any project has: a folder of something else has come into the place of scripts. */
const mostFiles = 1_000;

/** A folder that leads to one that was read gives nothing: its scripts run once. */
function readScripts(place: RulePlace, reader: YamlReader | undefined, read: Reading): void {
  const seen = new Set<string>();
  for (const folder of place.scripts) {
    const found = listFolder(folder);
    if (found.is === "unreadable") read.problems.push(unlisted(folder, found.reason));
    if (found.is === "no folder") read.problems.push(unlisted(folder, "it is a file"));
    if (found.is !== "listed" || seen.has(found.identity)) continue;
    seen.add(found.identity);
    const names = found.names.filter((name) => !name.startsWith("."));
    for (const name of names.slice(0, mostFiles)) {
      const file = fileAt(join(folder, name), "script", place);
      readScript(place.worktree === undefined ? file : { ...file, root: place.worktree }, reader, read);
    }
    if (names.length > mostFiles)
      read.problems.push(unreadable(folder, `it holds more than ${mostFiles} files, and the others are not looked at`));
  }
}

/** One file: a script, or something that lies beside scripts. */
function readScript(file: HookFile, reader: YamlReader | undefined, read: Reading): void {
  const { path, label } = file;
  read.watched.push(path);
  if (!reader) {
    read.unread.push(path);
    return;
  }
  const { compileScript, scriptHeadInBytes } = reader.formats.scripts;
  const found = readFileHead(path, scriptHeadInBytes);
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
    ...(reader.platform === "win32" ? {} : { isExecutable: (found.mode & 0o111) !== 0 }),
  };
  const origin: Origin = { ...originOf(file), dialect: "script" };
  const { isOther, ...compiled } = compileScript(found.text, facts, origin, {
    label,
    family: /[/\\]\.discobot[/\\]hooks[/\\][^/\\]+$/.test(path) ? "discobot" : "hookline",
    patterns: reader.patterns,
  });
  if (!isOther) keep(file, compiled, read);
}

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

const originOf = ({ layer, path, root }: HookFile): Origin => ({
  dialect: "rules",
  layer,
  file: path,
  ...(root ? { root } : {}),
});

function keep(file: HookFile, { hooks, problems }: Compiled, read: Reading): void {
  read.problems.push(...problems);
  read.sources.push(sourceOf(file, hooks, problems));
}

/** It counts as there, with nothing in it. */
export function keepUnreadable(file: HookFile, reason: unknown, read: Reading): void {
  keep(file, { hooks: [], problems: [unreadable(file.path, reason)] }, read);
}

/** Only settings files have switches. */
export const sourceOf = (file: HookFile, hooks: Hook[], problems: Problem[]): Source => ({
  file,
  hooks,
  compiled: {
    ...{ hooks, problems, switches: {}, speaksOf: [], enabledPlugins: {} },
    placeOf: () => ({ line: 1, column: 1 }),
  },
});

export const unreadable = (file: string, reason: unknown): Problem => ({
  severity: "error",
  code: "unreadable",
  message: `the file cannot be read: ${messageOf(reason)}`,
  suggestion: "check the path and its permissions",
  file,
  line: 1,
  column: 1,
});

const unlisted = (folder: string, reason: string): Problem => ({
  ...unreadable(folder, reason),
  message: `the folder cannot be listed: ${reason}`,
});

type Check = (hooks: readonly Hook[]) => { hooks: Hook[]; problems: Problem[] };

/** What only all files of one format together show. @param check gives as many hooks as it takes, in their order */
function checkTogether(format: FileFormat, check: Check, read: Reading): void {
  const own = read.sources.filter(({ file }) => file.format === format);
  const { hooks, problems } = check(own.flatMap((source) => source.hooks));
  if (problems.length === 0) return;
  read.problems.push(...problems);
  let from = 0;
  for (const source of own) {
    source.hooks = hooks.slice(from, from + source.hooks.length);
    from += source.hooks.length;
  }
}
