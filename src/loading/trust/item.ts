/**
 * What a workspace asks to be allowed, in items that a person trusts one by one (R30): a hook, a module, a settings file, what
 * replaces hooks of the user. An item is bound to its content: to its definition, and to the bytes of each workspace file that it runs.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularBytesSync } from "../../files/regular-file.ts";

/** In the order of their danger: a module is a program, and an override takes a hook of the user away. */
export const itemKinds = ["module", "settings", "override", "hook"] as const;
export type ItemKind = (typeof itemKinds)[number];

/** A workspace file that an item runs. */
export interface BoundFile {
  /** From the workspace folder, with slashes; `package.json#scripts` is that part of the file alone. */
  path: string;
  /** Its bytes, its execute bit and where its links lead, as one text; "absent" where there is no such file. */
  state: string;
}

export interface Item {
  /** The workspace folder whose files say it. */
  root: string;
  kind: ItemKind;
  name: string;
  /** The file that says it, from the folder of the repository. */
  file: string;
  line?: number;
  /** What it is, whole, as JSON that is the same in each clone. */
  definition: string;
  files: BoundFile[];
  /** SHA-256 of kind, definition and files. */
  hash: string;
}

/** What is trusted of one workspace folder. */
export interface TrustedItems {
  has(hash: string): boolean;
  /** The hooks of a file, as they were when a person last trusted anything of the folder. */
  lastOf(file: string): Pick<Item, "hash" | "definition">[];
  /** Undefined: no module of this name was ever trusted here. */
  moduleBefore(file: string): ModuleBefore | undefined;
}

/** A module as a person last trusted it. */
export interface ModuleBefore {
  /** What it gave; absent: it has not been read since it was trusted. */
  gave?: GivenByModule;
}
/** What of a module may refuse. */
export interface GivenByModule {
  /** Definitions of its guards, as in an item. */
  guards: string[];
  /** The names of its actions that make a rule a guard. */
  actions: string[];
}

/** What a person has trusted, asked once for each load and folder. */
export interface Trust {
  of(root: string): FolderTrust;
  /** Sees each item that is asked about. */
  saw?(item: Item, isTrusted: boolean): void;
  /** Keeps what a trusted module gave when it was read, by the hash of its item. Never throws. */
  gave?(hash: string, given: GivenByModule): void;
}
export interface FolderTrust {
  /** Absent: nothing of the folder was ever trusted, or its record is not believed. */
  items?: TrustedItems;
  /** The files whose change may change the answer. */
  watched: string[];
  /** Why the folder's record is not believed. */
  problem?: { file: string; reason: string };
}

export type Content = Omit<Item, "definition" | "files" | "hash"> & { content: Json };

/** @param paths of the files that it runs, absolute */
export function itemOf({ content, ...facts }: Content, paths: readonly string[]): Item {
  const { root, kind, name, file } = facts;
  const definition = definitionIn(root, content);
  const files = [...new Set(paths)].map((path) => ({ path: pathFrom(root, path), state: stateOfFile(path) }));
  files.sort((left, right) => (left.path < right.path ? -1 : 1));
  return { ...facts, definition, files, hash: sha256(JSON.stringify([kind, name, file, definition, files])) };
}

export const definitionIn = (root: string, content: Json): string =>
  JSON.stringify(sorted(content)).replaceAll(JSON.stringify(root).slice(1, -1), rootMark);

/** Stands for the workspace folder, so that a hash is the same wherever the repository lies. No path holds it. */
const rootMark = "\\u0001workspace";
const markInText = "\u0001workspace";

/** What a definition of itemOf says, in a folder. The mark is looked for in the texts: in the JSON an escaped one looks like it. */
export const contentIn = (root: string, definition: string): Json =>
  JSON.parse(definition, (_key, value: unknown) =>
    typeof value === "string" ? value.replaceAll(markInText, () => root) : value,
  );

/** One hash for all that a folder asks for now: what `hookline trust --hash` takes. */
export const hashOfAll = (items: readonly Item[]): string =>
  sha256(
    items
      .map(({ hash }) => hash)
      .sort()
      .join("\n"),
  );

/** Loaded when it is asked for: most events verify nothing. */
export const sha256 = (content: string | Uint8Array): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value as Record<string, Json>).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}

export const pathFrom = (root: string, path: string): string => relative(root, path).replaceAll("\\", "/");

const scriptsPart = "#scripts";
/** The part of a package.json that `npm run` reads: its dependencies change without a new program in a hook. */
export const scriptsOf = (packageFile: string): string => packageFile + scriptsPart;
/** The file itself of a path that may name a part of it. */
export const fileOf = (path: string): string =>
  path.endsWith(scriptsPart) ? path.slice(0, -scriptsPart.length) : path;

/** Stands for files that nobody can list: what runs them is trusted by nobody, as its state is never the same. */
export const moreThanFollowed = "(more files than can be followed)";

/** Of what is trusted by nobody: it is never the same. */
const changing = (): string => `unknown ${process.hrtime.bigint()}`;

/** Never throws, and waits for no pipe. A folder's state is that of the files in it. What cannot be read has a state of its own. */
export function stateOfFile(path: string): string {
  if (path.endsWith(`/${moreThanFollowed}`)) return changing();
  try {
    const file = fileOf(path);
    const own = lstatSync(file);
    const found = own.isSymbolicLink() ? statSync(file) : own;
    if (found.isDirectory()) return stateOfFolder(path);
    return stateOf(path, readRegularBytesSync(file), { isLink: own.isSymbolicLink(), mode: found.mode });
  } catch (error) {
    if (error instanceof RangeError) return changing(); // too large to be compared: what is in it may be another thing each time
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "absent" : "unreadable";
  }
}

/** Its own files alone: what takes a folder for a program starts these. */
function stateOfFolder(folder: string): string {
  const entries = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => [pathFrom(folder, path), stateOfFile(path)]);
  return `folder ${sha256(JSON.stringify(entries))}`;
}

/** As stateOfFile, of bytes that have been read. Throws what the file system says. */
export function stateOfBytes(path: string, bytes: Uint8Array): string {
  const file = fileOf(path);
  return stateOf(path, bytes, { isLink: lstatSync(file).isSymbolicLink(), mode: statSync(file).mode });
}

/** Where a link leads is told from its own folder: the state is the same in each clone. */
function stateOf(path: string, bytes: Uint8Array, { isLink, mode }: { isLink: boolean; mode: number }): string {
  const file = fileOf(path);
  const link = isLink ? `${readlinkSync(file)} ${pathFrom(realpathSync(dirname(file)), realpathSync(file))} ` : "";
  return `${(mode & 0o111) === 0 ? "-" : "x"} ${link}${sha256(file === path ? bytes : scriptsIn(bytes))}`;
}

function scriptsIn(bytes: Uint8Array): string {
  try {
    const content: unknown = JSON.parse(Buffer.from(bytes).toString());
    return JSON.stringify(isRecord(content) ? sorted((content.scripts ?? null) as Json) : null); // it was parsed from JSON
  } catch {
    return Buffer.from(bytes).toString(); // no JSON: then all of it counts
  }
}

/** What each file held, by path. */
export type Bound = { readonly [path: string]: string };

/** The first file that is not what was trusted, read anew each time (R93); undefined: all are. Never throws. */
export function changedOf(bound: Bound | undefined): string | undefined {
  for (const path in bound) if (stateOfFile(path) !== bound[path]) return path;
  return undefined;
}
