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
import { paired } from "./trust/as-written.ts";
import type { Judge } from "./trust/judge.ts";
import { untrustedTag } from "./trust/untrusted.ts";

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
  platform: string;
  registry: Registry;
  /** Takes each name for a condition and an action; absent: trust is not asked for. */
  asWritten?: Registry;
  /** The registry holds more than what comes with Hookline. */
  isExtended?: boolean;
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
  /** The files that projects' settings were trusted with, by path: what each held. */
  settingsBound: { [path: string]: string };
  /** Absent: everything is trusted. */
  judge?: Judge;
  /** The registry holds more than what comes with Hookline. */
  isExtended?: boolean;
  /** The tool servers that are configured; absent: that is not known. */
  servers?: ReadonlySet<string>;
}

export const startReading = (): Reading => ({
  ...{ sources: [], problems: [], watched: [], unread: [], modules: [] },
  ...{ config: emptyConfig, userConfig: emptyConfig, settingsBound: {} },
});

/** Never throws: what cannot be read is a problem. Without a reader nothing is read, and `unread` says what was found. */
export function readPlaces(places: readonly RulePlace[], reader: YamlReader | undefined, read: Reading): void {
  if (reader?.isExtended) read.isExtended = true;
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
}

/** One file by itself. @param config what stands in the settings around it */
export function readOne(
  file: HookFile,
  reader: YamlReader | undefined,
  config: Partial<Pick<Reading, "config" | "userConfig">> = {},
): Reading {
  const read = { ...startReading(), ...config };
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
  if (!reader) return own;
  if (place.root !== undefined && read.judge) {
    const bound = read.judge.settings(own, { root: place.root, file: labelOf(place) });
    if (!bound) return own;
    Object.assign(read.settingsBound, bound);
  }
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
  keep(file, compiled, read, () => {
    const registry = reader.asWritten;
    return registry && compile(found.text, file, { reader: { ...reader, registry }, read }).hooks;
  });
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
    const origin: Origin = { ...originOf(file), dialect: "registry" };
    return reader.formats.repository.compileRegistry(text, origin, optionsOf(file, reader));
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
      const { worktree, root } = place;
      readScript(worktree && root ? { ...file, root: worktree, trustedIn: root } : file, reader, read);
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

/** @param formsOf the hooks as they are written, where that may be something else */
function keep(file: HookFile, { hooks, problems }: Compiled, read: Reading, formsOf?: () => Hook[] | undefined): void {
  read.problems.push(...problems);
  const mayDiffer = file.root !== undefined && !file.ofUser && mayNameOthers(read, problems);
  const forms = mayDiffer ? formsOf?.() : undefined;
  const source = sourceOf(file, hooks, problems);
  read.sources.push(forms ? { ...source, written: paired(hooks, forms) } : source);
}

/** A file may use what only a module or the host's program registers: then the same names are known here, or nowhere. */
const mayNameOthers = ({ isExtended }: Reading, problems: readonly Problem[]): boolean =>
  isExtended === true || problems.some(({ severity }) => severity === "error");

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

/** What only all files of one format together show. It is no part of what a person trusts: that is each file by itself. */
export function checkTogether(
  sources: readonly Source[],
  { formats: { repository, slugs } }: YamlReader,
  tell: (problem: Problem) => void,
): Source[] {
  const checked = inFormat("registry", repository.reportSameIds, sources, tell);
  return inFormat("script", slugs.distinctSlugs, checked, tell); // outputs of all of a session's scripts lie together
}

/** @param check gives as many hooks as it takes, in their order */
function inFormat(
  format: FileFormat,
  check: Check,
  sources: readonly Source[],
  tell: (problem: Problem) => void,
): Source[] {
  const isChecked = ({ file }: Source, { tags }: Hook): boolean =>
    file.format === format && !tags.includes(untrustedTag);
  const { hooks, problems } = check(
    sources.flatMap((source) => source.hooks.filter((hook) => isChecked(source, hook))),
  );
  for (const problem of problems) tell(problem);
  const next = hooks.values();
  return sources.map((source) => {
    if (source.file.format !== format) return source;
    return {
      ...source,
      hooks: source.hooks.map((hook) => (isChecked(source, hook) ? (next.next().value ?? hook) : hook)),
    };
  });
}
