/**
 * The abilities that a repository describes: skills, subagents and commands of agents, ABILITY.md files, and registries
 * in .system/registry. What was read is kept, by path, until the file changes.
 */
import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../../engine/error.ts";
import { oneLine } from "../../../engine/one-line.ts";
import type { AbilityFolder, AgentConventions } from "../../../engine/ports.ts";
import { isRecord } from "../../../engine/schema.ts";
import { readRegularFileSync } from "../../../files/regular-file.ts";
import { isReallyInside } from "../../repository.ts";
import type { Ability } from "./scores.ts";

interface FoundAbilities {
  abilities: Ability[];
  /** What was left out, and why. */
  notes: string[];
}

interface Kind {
  /** The folder that such files lie in; "" is anywhere. */
  folder: string;
  isOne(path: string): boolean;
  read(file: DescribingFile): Ability[];
}
/** Front matter and what follows it, or a whole document. */
interface DescribingFile {
  /** From the root, with forward slashes. */
  path: string;
  fields: Record<string, unknown>;
  body: string;
}

const limits = {
  fileInBytes: 256 << 10,
  /** Of all files that are not known yet: reading one of 256 kB can take a fifth of a second. */
  newInBytes: 8 << 20,
  files: 1000,
  folders: 2000,
  depth: 6,
  abilities: 2000,
  description: 2000,
} as const;
/** Others' sources, and what was made of them. */
const skipped: ReadonlySet<string> = new Set(
  "node_modules bower_components vendor dist build out target coverage venv __pycache__ fixtures testdata".split(" "),
);

const one = (id: string, { path, fields, body }: DescribingFile): Ability[] => {
  const description = [fields.description, fields.summary, firstParagraph(body)].find(isText) ?? "";
  const keywords = keywordsIn(fields);
  return [{ id: oneLine(id), description: description.slice(0, limits.description), ...keywords, from: path }];
};

const kindsOfAgents: { readonly [H in AbilityFolder["holds"]]: (folder: string) => Kind } = {
  skills: (folder) => ({
    folder,
    isOne: (path) => /^[^/]+\/SKILL\.md$/.test(path.slice(folder.length + 1)),
    read: (file) => one(textIn(file.fields.name) ?? basename(dirname(file.path)), file),
  }),
  agents: (folder) => ({
    folder,
    isOne: (path) => /\.md$/.test(path),
    read: (file) => one(textIn(file.fields.name) ?? basename(file.path, ".md"), file),
  }),
  commands: (folder) => ({
    folder,
    isOne: (path) => /\.md$/.test(path),
    read: (file) => one(`/${basename(file.path, ".md")}`, file),
  }),
};

const kindsOfRepositories: readonly Kind[] = [
  {
    folder: ".system/registry",
    isOne: (path) => /\.ya?ml$/i.test(path),
    read: ({ path, fields }) => registered(fields, path),
  },
  {
    folder: "",
    isOne: (path) => basename(path) === "ABILITY.md",
    read: (file) => one(textIn(file.fields.id) ?? textIn(file.fields.name) ?? folderName(file.path), file),
  },
];

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const textIn = (value: unknown): string | undefined => (isText(value) ? value.trim() : undefined);
const folderName = (path: string): string => (dirname(path) === "." ? "ABILITY" : basename(dirname(path)));

/** Without the headings before it. */
const firstParagraph = (body: string): string =>
  body
    .split(/\r?\n\s*\r?\n/)
    .map((part) => part.replaceAll(/^#.*$/gm, "").trim())
    .find((part) => part !== "") ?? "";

function keywordsIn({ keywords, tags, triggers, signals }: Record<string, unknown>): { keywords?: string[] } {
  const found = [keywords, tags, triggers, signals].flat().filter(isText);
  return found.length > 0 ? { keywords: found.slice(0, 50) } : {};
}

/** A registry lists abilities, or names them as its keys, under whatever headings. */
function registered(fields: Record<string, unknown>, path: string, depth = 0): Ability[] {
  return Object.entries(fields).flatMap(([key, value]): Ability[] => {
    if (Array.isArray(value)) return value.filter(isRecord).flatMap((item) => listedAbility(item, undefined, path));
    if (!isRecord(value)) return [];
    const own = listedAbility(value, key, path);
    return own.length > 0 || depth > 2 ? own : registered(value, path, depth + 1);
  });
}

function listedAbility(fields: Record<string, unknown>, key: string | undefined, path: string): Ability[] {
  const id = [fields.id, fields.ability_id, fields.name, key].find(isText);
  return id !== undefined && [fields.description, fields.summary].some(isText)
    ? one(id, { path, fields, body: "" })
    : [];
}

interface Kept {
  state: string;
  abilities: Ability[];
}

const kept = new Map<string, Kept>();

export async function findAbilities(
  root: string,
  signal: AbortSignal,
  conventions?: AgentConventions,
): Promise<FoundAbilities> {
  const ofAgents = conventions?.abilityFolders() ?? [];
  const kinds = [...ofAgents.map(({ folder, holds }) => kindsOfAgents[holds](folder)), ...kindsOfRepositories];
  const notes: string[] = [];
  const found = new Map<string, Ability>();
  let room = limits.newInBytes;
  const files = filesIn(kinds, { root, notes, signal });
  for (const [index, [kind, path]] of files.entries()) {
    if (signal.aborted) {
      notes.push(`time was over before ${files.length - index} of ${files.length} files were looked at`);
      break;
    }
    const file = join(root, path);
    const now = stateOf(file);
    if (!now) continue;
    let known = kept.get(file);
    if (known?.state !== now.state) {
      room -= now.size > limits.fileInBytes ? 0 : now.size;
      if (room < 0) {
        notes.push(`only ${limits.newInBytes >> 20} MiB of files that describe abilities are read at once`);
        break;
      }
      await nextTurn(); // reading takes the process for itself: the step's limit has to get its turn
      known = { state: now.state, abilities: await read(kind, root, path, notes) };
      if (kept.size >= limits.files) kept.clear();
      kept.set(file, known);
    }
    for (const ability of known.abilities)
      if (!found.has(ability.id) && found.size < limits.abilities) found.set(ability.id, ability);
  }
  return { abilities: [...found.values()], notes };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Another state after each change; undefined: it is gone. */
function stateOf(file: string): { size: number; state: string } | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found && { size: found.size, state: `${found.ino} ${found.size} ${found.mtimeMs}` };
}

/** One that cannot be read has no abilities; the others do. */
async function read(kind: Kind, root: string, path: string, notes: string[]): Promise<Ability[]> {
  try {
    const content = readRegularFileSync(join(root, path), limits.fileInBytes);
    if (!("text" in content)) throw new Error(content.refused);
    const described = await (path.endsWith(".md") ? readFrontMatter : readDocument)(content.text);
    return kind.read({ path, ...described });
  } catch (error) {
    notes.push(`${path} was not read: ${messageOf(error)}`);
    return [];
  }
}

/** In a fixed order: by kind, then by path. */
function filesIn(
  kinds: readonly Kind[],
  { root, notes, signal }: { root: string; notes: string[]; signal: AbortSignal },
): [Kind, string][] {
  const all = kinds.flatMap((kind) => {
    const paths = filesBelow(root, kind, notes, signal).toSorted();
    return paths.map((path): [Kind, string] => [kind, path]);
  });
  if (all.length > limits.files)
    notes.push(`of ${all.length} files that describe abilities, ${limits.files} were read`);
  return all.slice(0, limits.files);
}

/** Regular files only: links are followed nowhere. Folders whose names begin with a dot hold tools' own files. */
function filesBelow(root: string, { folder, isOne }: Kind, notes: string[], signal: AbortSignal): string[] {
  if (folder !== "" && !isReallyInside(root, join(root, folder))) return [];
  const files: string[] = [];
  const waiting = [{ path: folder, depth: 0 }];
  for (let count = 0, next = waiting.shift(); next && !signal.aborted; next = waiting.shift(), count++) {
    if (count === limits.folders) {
      notes.push(`only the first ${limits.folders} folders were searched for ABILITY.md`);
      break;
    }
    const { path, depth } = next;
    for (const entry of entriesOf(join(root, path))) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isFile() && isOne(below)) files.push(below);
      else if (entry.isDirectory() && depth < limits.depth && isSearched(entry.name, folder))
        waiting.push({ path: below, depth: depth + 1 });
    }
  }
  return files;
}

const isSearched = (name: string, folder: string): boolean =>
  folder !== "" || name === ".system" || !(name.startsWith(".") || skipped.has(name));

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // not there, or not for us to see
  }
}

interface Described {
  fields: Record<string, unknown>;
  body: string;
}

/** Each use of an anchor may multiply the document. */
const options = { maxAliasCount: 100, logLevel: "error", prettyErrors: true } as const;

/** A file without front matter is all body. Never throws: agents take front matter that is not quite YAML, so this does. */
async function readFrontMatter(text: string): Promise<Described> {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (found?.index !== 0) return { fields: {}, body: text };
  const written = found[1] ?? "";
  const body = text.slice(found[0].length);
  try {
    return { fields: await fieldsOf(written), body };
  } catch {
    return { fields: lineByLine(written), body };
  }
}

/** `description: Use when: a person asks` */
const lineByLine = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Za-z][\w-]*):[ \t]+(.*)$/gm)].map(([, key = "", value = ""]) => [key, value.trim()]),
  );

/** A list by itself is one under a name. Throws where it is no YAML. */
const readDocument = async (text: string): Promise<Described> => ({ fields: await fieldsOf(text), body: "" });

/** The library is loaded with the first file that needs it. */
async function fieldsOf(text: string): Promise<Record<string, unknown>> {
  const { parse } = await import("./parse-yaml.ts");
  const value: unknown = parse(text, options);
  return Array.isArray(value) ? { abilities: value } : isRecord(value) ? value : {};
}
