/** The abilities that a repository describes: skills, subagents and commands of agents, ABILITY.md files, and registries in .system/registry. */
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../../engine/error.ts";
import { oneLine } from "../../../engine/one-line.ts";
import type { AbilityFolder, AgentConventions } from "../../../engine/ports.ts";
import { fieldsIn, isRecord } from "../../../engine/schema.ts";
import { readRegularFile } from "../../../files/regular-file.ts";
import { isReallyInside } from "../../repository.ts";
import type { Ability } from "./scores.ts";

interface FoundAbilities {
  abilities: Ability[];
  /** What was left out, and why. */
  notes: string[];
}

type Fields = Record<string, unknown>;

interface Kind {
  /** The folder that such files lie in; "" is anywhere. */
  folder: string;
  /** Of paths below that. */
  file: RegExp;
  read(path: string, fields: Fields, body: string): Ability[];
}

const limits = { fileInBytes: 256 << 10, files: 1000, folders: 2000, description: 2000, keywords: 50 } as const;

/** Others' sources, and what was made of them. */
const skipped: ReadonlySet<string> = new Set(
  "node_modules bower_components vendor dist build out target coverage venv __pycache__ fixtures testdata".split(" "),
);

const kindsOfAgents: { readonly [H in AbilityFolder["holds"]]: Omit<Kind, "folder"> } = {
  skills: {
    file: /^[^/]+\/SKILL\.md$/,
    read: (path, fields, body) => [described([fields.name, basename(dirname(path))], fields, body)],
  },
  agents: {
    file: /\.md$/,
    read: (path, fields, body) => [described([fields.name, basename(path, ".md")], fields, body)],
  },
  commands: {
    file: /\.md$/,
    read: (path, fields, body) => [described([`/${basename(path, ".md")}`], fields, body)],
  },
};

const kindsOfRepositories: readonly Kind[] = [
  { folder: ".system/registry", file: /\.ya?ml$/i, read: (_path, fields) => registered(fields) },
  {
    folder: "",
    file: /(?:^|\/)ABILITY\.md$/,
    read: (path, fields, body) => [
      described([fields.id, fields.name, basename(dirname(`ABILITY/${path}`))], fields, body),
    ],
  },
];

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

function described(names: readonly unknown[], fields: Fields, body: string): Ability {
  const { keywords, tags, triggers, signals } = fields;
  const words = [keywords, tags, triggers, signals].flat().filter(isText).slice(0, limits.keywords);
  const description = [fields.description, fields.summary, firstParagraph(body)].find(isText) ?? "";
  return {
    id: oneLine((names.find(isText) ?? "").trim()),
    description: description.slice(0, limits.description),
    ...(words.length > 0 ? { keywords: words } : {}),
  };
}

/** Without the headings before it. */
const firstParagraph = (body: string): string | undefined =>
  body
    .split(/\r?\n\s*\r?\n/)
    .map((part) => part.replaceAll(/^#.*$/gm, "").trim())
    .find((part) => part !== "");

/** A registry lists abilities, or names them as its keys, under whatever headings. */
function registered(fields: Fields, depth = 0): Ability[] {
  return Object.entries(fields).flatMap(([key, value]): Ability[] => {
    if (Array.isArray(value)) return value.filter(isRecord).flatMap((item) => listed(item));
    if (!isRecord(value)) return [];
    const own = listed(value, key);
    return own.length > 0 || depth > 2 ? own : registered(value, depth + 1);
  });
}

function listed(fields: Fields, key?: string): Ability[] {
  const names = [fields.id, fields.ability_id, fields.name, key];
  return names.some(isText) && [fields.description, fields.summary].some(isText) ? [described(names, fields, "")] : [];
}

/** In a fixed order: by kind, then by path; of two that are called the same the first. */
export async function findAbilities(
  root: string,
  signal: AbortSignal,
  conventions?: AgentConventions,
): Promise<FoundAbilities> {
  const ofAgents = conventions?.abilityFolders() ?? [];
  const kinds = [...ofAgents.map(({ folder, holds }) => ({ folder, ...kindsOfAgents[holds] })), ...kindsOfRepositories];
  const notes: string[] = [];
  const found = new Map<string, Ability>();
  const files = kinds.flatMap((kind) =>
    filesBelow(root, kind, notes)
      .toSorted()
      .map((path) => ({ kind, path })),
  );
  if (files.length > limits.files)
    notes.push(`of ${files.length} files that describe abilities, ${limits.files} were read`);
  for (const { kind, path } of files.slice(0, limits.files)) {
    await new Promise((resolve) => setImmediate(resolve)); // reading takes the process for itself: the step's limit has to get its turn
    if (signal.aborted) {
      notes.push("time was over before all files that describe abilities were looked at");
      break;
    }
    try {
      for (const ability of await read(kind, root, path)) if (!found.has(ability.id)) found.set(ability.id, ability);
    } catch (error) {
      notes.push(`${path} was not read: ${messageOf(error)}`);
    }
  }
  return { abilities: [...found.values()], notes };
}

/** Regular files only: links are followed nowhere. Folders whose names begin with a dot hold tools' own files. */
function filesBelow(root: string, { folder, file }: Kind, notes: string[]): string[] {
  if (folder !== "" && !isReallyInside(root, join(root, folder))) return [];
  const folders = [folder];
  const files: string[] = [];
  for (const path of folders)
    for (const entry of entriesOf(join(root, path))) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      const isHidden = entry.name.startsWith(".") && entry.name !== ".system";
      if (entry.isFile() && file.test(below.slice(folder === "" ? 0 : folder.length + 1))) files.push(below);
      else if (entry.isDirectory() && (folder !== "" || !(isHidden || skipped.has(entry.name)))) folders.push(below);
      if (folders.length <= limits.folders) continue;
      notes.push(`only the first ${limits.folders} folders were searched for ABILITY.md`);
      return files;
    }
  return files;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // not there, or not for us to see
  }
}

/** Throws where it cannot be read. */
async function read({ read: abilities }: Kind, root: string, path: string): Promise<Ability[]> {
  const content = await readRegularFile(join(root, path), limits.fileInBytes);
  if (!("text" in content)) throw new Error(content.refused);
  const { text } = content;
  if (!path.endsWith(".md")) return abilities(path, await fieldsOf(text), "");
  const front = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (front?.index !== 0) return abilities(path, {}, text);
  const written = front[1] ?? "";
  const fields = await fieldsOf(written).catch(() => lineByLine(written)); // agents take front matter that is not quite YAML, so this does
  return abilities(path, fields, text.slice(front[0].length));
}

/** `description: Use when: a person asks` */
const lineByLine = (text: string): Fields =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Za-z][\w-]*):[ \t]+(.*)$/gm)].map(([, key = "", value = ""]) => [key, value.trim()]),
  );

/** A list by itself is one under a name. Throws where it is no YAML. The library is loaded with the first file that needs it. */
async function fieldsOf(text: string): Promise<Fields> {
  const { parse } = await import("./parse-yaml.ts");
  const value: unknown = parse(text, { maxAliasCount: 100, logLevel: "error" }); // each use of an anchor may multiply the document
  return Array.isArray(value) ? { abilities: value } : fieldsIn(value);
}
