/**
 * What a person has trusted, folder by folder: a file for each in the state folder, out of every workspace, for its owner alone. A
 * record that is damaged, readable by others or written by a newer Hookline trusts nothing. What was trusted before stays trusted, so
 * that a change between two branches asks once for each.
 */
import { lstatSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularTextSync, textAt } from "../../files/regular-file.ts";
import { isOwn, isPrivate, makePrivateFolder, writePrivate } from "../../files/write.ts";
import { mainWorktreeOf } from "../project.ts";
import { type GivenByModule, type Item, type ModuleBefore, sha256, type Trust, type TrustedItems } from "./item.ts";

/** An item as it was trusted: what a later one is compared with. */
export interface Trusted extends Pick<Item, "kind" | "name" | "file" | "definition" | "files"> {
  at: Instant;
}
export interface TrustRecord {
  /** The workspace's real path. */
  path: string;
  /** By the item's hash. */
  items: { [hash: string]: Trusted };
}

export interface TrustRecords extends Trust {
  /** Undefined: nothing of the folder is trusted, or its record is not believed. */
  record(root: string): TrustRecord | undefined;
  all(): TrustRecord[];
  /** Adds items of one folder. Throws what the file system says. */
  add(root: string, items: readonly Item[], now: Instant): void;
  /** Whether there was anything to take back. */
  remove(root: string): boolean;
  /** What a trusted file held, for a comparison; undefined: it is not kept. */
  textOf(state: string): string | undefined;
}

/** The newest that was trusted under the same name. */
export const lastOf = (
  { items }: TrustRecord,
  { kind, name, file }: Pick<Item, "kind" | "name" | "file">,
): Trusted | undefined =>
  Object.values(items).findLast((one) => one.kind === kind && one.name === name && one.file === file);

function hooksOf({ items }: TrustRecord, file: string): Pick<Item, "hash" | "definition">[] {
  const last = Math.max(...Object.values(items).map(({ at }) => at));
  return Object.entries(items)
    .filter(([, one]) => one.kind === "hook" && one.file === file && one.at === last)
    .map(([hash, { definition }]) => ({ hash, definition }));
}

type GivenBy = (hash: string) => GivenByModule | undefined;

/** @param nearest the folder's own record, or that of its twin */
const itemsOf = (nearest: TrustRecord, records: readonly TrustRecord[], givenBy: GivenBy): TrustedItems => ({
  has: (hash) => records.some(({ items }) => Object.hasOwn(items, hash)),
  lastOf: (file) => hooksOf(nearest, file),
  moduleBefore: (file) => records.map((one) => moduleOf(one, file, givenBy)).find((one) => one !== undefined),
});

/** The newest that was read: what was trusted after it and never read has shown no guard, and none that is gone. */
function moduleOf({ items }: TrustRecord, file: string, givenBy: GivenBy): ModuleBefore | undefined {
  const hashes = Object.keys(items).filter((hash) => items[hash]?.kind === "module" && items[hash].file === file);
  if (hashes.length === 0) return undefined;
  for (const hash of hashes.reverse()) {
    const gave = givenBy(hash);
    if (gave) return { gave };
  }
  return {};
}

const version = 1;
/** Of a folder; the oldest go. */
const mostItems = 2_000;
/** Files above it are compared by their hash alone. */
const largestKeptInBytes = 1 << 20;

export function openTrust(stateFolder: string): TrustRecords {
  const folder = join(stateFolder, "trust");
  const texts = join(folder, "texts");
  const fileOfGiven = (hash: string): string => join(folder, "modules", `${hash}.json`);
  const fileOfFolder = (root: string): string => join(folder, `${sha256(realPath(root)).slice(0, 32)}.json`);

  type Found = { is: "absent" } | { is: "read"; record: TrustRecord } | { is: "refused"; reason: string };
  function read(root: string): Found {
    const file = fileOfFolder(root);
    if (!isThere(file)) return { is: "absent" };
    const found = readRecord(file, folder);
    if (typeof found === "string") return { is: "refused", reason: found };
    return isFolderOf(found, root) ? { is: "read", record: found.record } : { is: "absent" };
  }

  function record(root: string): TrustRecord | undefined {
    const found = read(root);
    return found.is === "read" ? found.record : undefined;
  }

  function givenBy(hash: string): GivenByModule | undefined {
    const file = fileOfGiven(hash);
    if (!isThere(file) || !isPrivate(file)) return undefined;
    try {
      const given: unknown = JSON.parse(readRegularTextSync(file));
      return isGiven(given) ? given : undefined;
    } catch {
      return undefined; // damaged: it is as if the module had not been read
    }
  }

  return {
    record,
    gave(hash, given) {
      if (isThere(fileOfGiven(hash))) return;
      try {
        makePrivateFolder(stateFolder, ["trust", "modules"]);
        writePrivate(fileOfGiven(hash), JSON.stringify(given));
      } catch {
        // a full disk, a read-only home: where the module changes, the whole of it stands for a guard
      }
    },
    of(root) {
      const folders = [root, ...twinOf(root)];
      const found = folders.map(read);
      const records = found.flatMap((one) => (one.is === "read" ? one.record : []));
      const [own] = found;
      return {
        watched: folders.map(fileOfFolder),
        ...(own?.is === "refused" ? { problem: { file: fileOfFolder(root), reason: own.reason } } : {}),
        ...(records[0] ? { items: itemsOf(records[0], records, givenBy) } : {}),
      };
    },
    all() {
      const names = isThere(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
      return names.flatMap((name) => {
        const found = readRecord(join(folder, name), folder);
        return typeof found === "string" ? [] : found.record;
      });
    },
    add(root, items, now) {
      makePrivateFolder(stateFolder, ["trust", "texts"]);
      for (const { path, state } of items.flatMap(({ files }) => files)) keepText(texts, join(root, path), state);
      const added = items.map(({ hash, kind, name, file, definition, files }): [string, Trusted] => [
        hash,
        { at: now, kind, name, file, definition, files },
      ]);
      const entries = [
        ...Object.entries(record(root)?.items ?? {}).filter(([hash]) => !items.some((item) => item.hash === hash)),
        ...added,
      ];
      const content = {
        version,
        path: realPath(root),
        identity: identityOf(root),
        items: Object.fromEntries(entries.slice(-mostItems)),
      };
      writePrivate(fileOfFolder(root), JSON.stringify(content));
    },
    remove(root) {
      const file = fileOfFolder(root);
      const was = isThere(file);
      rmSync(file, { force: true });
      return was;
    },
    textOf(state) {
      const file = join(texts, hashIn(state));
      return isThere(file) && isPrivate(file) ? readRegularTextSync(file) : undefined;
    },
  };
}

interface Identified {
  record: TrustRecord;
  identity: string;
}

/** A record, or why it is not believed. */
function readRecord(file: string, folder: string): Identified | string {
  try {
    const around = lstatSync(folder);
    if (!around.isDirectory() || !isOwn(around.uid) || (around.mode & 0o022) !== 0)
      return `its folder ${folder} can be changed by others`;
    if (!isPrivate(file)) return "others may read or change it";
    const content: unknown = JSON.parse(readRegularTextSync(file));
    if (!isRecord(content)) return "it is damaged";
    if (content.version !== version)
      return `it was written by another version of Hookline (${String(content.version)})`;
    const { path, identity, items } = content;
    if (typeof path !== "string" || typeof identity !== "string" || !isRecord(items)) return "it is damaged";
    if (!Object.values(items).every(isTrusted)) return "it is damaged";
    return { identity, record: { path, items: items as TrustRecord["items"] } }; // each was looked at
  } catch (error) {
    return error instanceof SyntaxError ? "it is damaged" : messageOf(error);
  }
}

const isGiven = (value: unknown): value is GivenByModule =>
  isRecord(value) &&
  [value.guards, value.actions].every(
    (list) => Array.isArray(list) && list.every((one: unknown) => typeof one === "string"),
  );

const isTrusted = (value: unknown): boolean =>
  isRecord(value) &&
  ["kind", "name", "file", "definition"].every((key) => typeof value[key] === "string") &&
  Array.isArray(value.files);

/**
 * A folder that was removed and made again is another one. Its device does not count: the numbers of some file systems change at each start
 * of the machine, while inode and time of birth stay.
 */
function identityOf(root: string): string {
  const { ino, birthtimeMs } = statSync(root);
  return `${ino}:${birthtimeMs}`;
}

function isFolderOf({ record, identity }: Identified, root: string): boolean {
  try {
    return record.path === realPath(root) && identity === identityOf(root);
  } catch {
    return false; // it has gone, or may not be looked at: nothing is trusted there
  }
}

function realPath(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    return root; // it has gone: nothing is found under this name
  }
}

/** A folder of a linked worktree has one in the main worktree: what was trusted there is trusted here while its content is the same. */
function twinOf(root: string): string[] {
  for (let folder = root; ; folder = dirname(folder)) {
    if (isThere(join(folder, ".git"))) {
      const main = mainWorktreeOf(folder);
      return main === undefined ? [] : [join(main, relative(folder, root))];
    }
    if (dirname(folder) === folder) return [];
  }
}

const hashIn = (state: string): string => /[0-9a-f]{64}$/.exec(state)?.[0] ?? "none";

function keepText(texts: string, path: string, state: string): void {
  const name = hashIn(state);
  const file = join(texts, name);
  if (name === "none" || path.includes("#") || isThere(file)) return;
  const text = textAt(path, largestKeptInBytes);
  if (text !== undefined) writePrivate(file, text);
}

/** Never throws: events name folders that may not be looked at, and names that no system takes. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
