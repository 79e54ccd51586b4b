/** Writing other programs' files in one step, with their mode and owner, and the journal of what install wrote, kept until uninstall: pieces of text, never the rest of a person's settings. */

import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import { systemTrouble } from "../../engine/system-words.ts";
import { readRegularBytesSync } from "../../files/regular-file.ts";
import { makePrivateFolder as makeFolder, writeWhole } from "../../files/write.ts";
import { type FileChange, hashOf } from "./registration.ts";
import type { Group } from "./settings-groups.ts";

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

/** What mends a file that can be read and is not what it should be. */
const noUtf8 = "it is not UTF-8 text";
const mends: Readonly<Record<string, string>> = { [noUtf8]: "save it as UTF-8" };

function refusal(file: string, reason: string, cause?: unknown): HooklineError {
  const trouble = systemTrouble(cause);
  const advice =
    trouble?.advice ?? mends[reason] ?? (cause instanceof RangeError ? "make it smaller" : "check its path and rights");
  return new HooklineError(
    "settings_unusable",
    { reason: trouble?.path === file ? trouble.reason : reason, where: file, advice: `${advice}; nothing was written` },
    { cause },
  );
}

/** Of settings; an agent reads no larger ones. */
const largestInBytes = 8 * 1024 * 1024;

/** The text, or nothing if there is no file. Throws settings_unusable. */
export function readText(file: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      readRegularBytesSync(file, largestInBytes),
    );
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw refusal(file, error instanceof TypeError ? noUtf8 : messageOf(error), error);
  }
}

/** Follows links, also one whose file does not exist yet. Throws settings_unusable. */
function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!isMissing(error)) throw refusal(file, messageOf(error), error);
    const aim = linkAim(file);
    return aim === undefined ? file : realFile(resolve(dirname(file), aim));
  }
}

function linkAim(file: string): string | undefined {
  try {
    return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined;
  } catch {
    return undefined; // nothing is there; writing will say what stands in the way
  }
}

/** For its owner alone. Throws settings_unusable. */
export function makePrivateFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw refusal(folder, messageOf(error), error);
  }
}

/** One file, before and after; absent means that there is none. */
export interface FileEdit {
  file: string;
  before: string | undefined;
  after: string | undefined;
  /** Of a new file. */
  mode?: number;
}

/** Writes them all or, if one fails, puts those back that were written. Throws settings_unusable. */
export function writeAll(edits: readonly FileEdit[]): void {
  const done: FileEdit[] = [];
  try {
    for (const edit of edits) {
      writeOne(edit);
      done.unshift(edit);
    }
  } catch (error) {
    for (const { file, before, after } of done) writeOne({ file, before: after, after: before });
    throw error;
  }
}

function writeOne({ file, before, after, mode = 0o644 }: FileEdit): void {
  if (before === after) return;
  const real = realFile(file);
  if (after !== undefined) replaceText(real, after, { before, mode });
  else if (readText(real) === before) rmSync(real);
  else throw changedMeanwhile(file);
}

const changedMeanwhile = (file: string): HooklineError =>
  refusal(file, "it changed while it was being edited: run the command again");

/** Writes beside the file and renames, so that a reader sees the old text or the new one. */
function replaceText(real: string, text: string, { before, mode }: { before: string | undefined; mode: number }): void {
  const missing = missingFolders(real);
  try {
    mkdirSync(dirname(real), { recursive: true });
    const old = statSync(real, { throwIfNoEntry: false });
    if (old) accessSync(real, constants.W_OK);
    writeWhole(real, text, {
      mode: 0o600,
      flush: true,
      finish(temporary) {
        likeBefore(temporary, old, mode);
        if (readText(real) !== before) throw changedMeanwhile(real);
      },
    });
  } catch (error) {
    removeFolders(missing);
    throw error instanceof HooklineError ? error : refusal(real, messageOf(error), error);
  }
}

function likeBefore(file: string, old: Stats | undefined, mode: number): void {
  chmodSync(file, old ? old.mode & 0o7777 : mode & ~process.umask());
  const now = statSync(file);
  if (old && (old.uid !== now.uid || old.gid !== now.gid)) {
    chownSync(file, old.uid, old.gid);
    chmodSync(file, old.mode & 0o7777); // changing the owner clears some bits
  }
}

/** The folders that have to be made for this file, deepest first. */
export function missingFolders(file: string): string[] {
  const missing: string[] = [];
  for (let one = dirname(realFile(file)); !existsSync(one) && one !== dirname(one); one = dirname(one))
    missing.push(one);
  return missing;
}

/** Removes folders that we made, deepest first, as long as they are empty. */
export function removeFolders(folders: readonly string[]): void {
  try {
    for (const folder of folders) if (existsSync(folder)) rmdirSync(folder);
  } catch {
    // Something else lives there by now, so it stays.
  }
}

/** A group that was moved out of the agent's file, as it stood there. */
export type MovedGroup = Pick<Group, "event" | "text">;

export interface Journal {
  version: 1;
  settings: FileChange;
  /** Hooks that were taken over; `owed` are those that the stages of `settings` do not bring back. */
  takeOver?: { target: FileChange; moved: MovedGroup[]; owed: MovedGroup[] };
  /** Folders that were made for a project's launcher. */
  launcher?: { createdFolders: string[] };
  /** Those that were made for a mod of ours. */
  mod?: { createdFolders: string[] };
  /** Of the agent, when it was installed; absent: nothing said it. */
  agentVersion?: string;
}

export const journalFolder = (stateFolder: string): string => join(stateFolder, "installs");

/** Whole ones alone: a process that was ended while writing left a piece under another name. May throw what the file system says. */
export function journalNames(stateFolder: string): string[] {
  const folder = journalFolder(stateFolder);
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
}

const journalFile = (stateFolder: string, agent: string, file: string): string =>
  join(journalFolder(stateFolder), `${agent}-${hashOf(file).slice(0, 16)}.json`);

/** Nothing if there is none or it cannot be read: uninstall then goes by what it finds in the settings. */
export function readJournal(stateFolder: string, agent: string, file: string): Journal | undefined {
  try {
    const journal: unknown = JSON.parse(readText(journalFile(stateFolder, agent, file)) ?? "null");
    // Only we write there; the version says that the shape is this one.
    return isRecord(journal) && journal.version === 1 ? (journal as unknown as Journal) : undefined;
  } catch {
    return undefined; // damaged: as good as none
  }
}

/** When we were last installed there; undefined: elsewhere than on this machine, or by hand. */
export const installedAt = (stateFolder: string, agent: string, file: string): Instant | undefined =>
  statSync(journalFile(stateFolder, agent, file), { throwIfNoEntry: false })?.mtimeMs;

/** The settings files that we are installed in. May throw what the file system says. */
export const journalledFiles = (stateFolder: string): string[] =>
  journalNames(stateFolder).flatMap((name) => {
    const journal: unknown = JSON.parse(readText(join(journalFolder(stateFolder), name)) ?? "null");
    const settings = isRecord(journal) ? journal.settings : undefined;
    return isRecord(settings) && typeof settings.file === "string" ? [settings.file] : [];
  });

/** The journal's own file, to be written with the others. */
export function journalEdit(stateFolder: string, agent: string, file: string, journal: Journal | undefined): FileEdit {
  const journalPath = journalFile(stateFolder, agent, file);
  return {
    file: journalPath,
    before: readText(journalPath),
    after: journal && JSON.stringify(journal),
    mode: 0o600,
  };
}
