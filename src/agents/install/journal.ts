/** What install did, kept in the state folder until uninstall: pieces of text, never the rest of a person's settings. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../engine/schema.ts";
import { type FileEdit, readText } from "./files.ts";
import { type FileChange, hashOf } from "./registration.ts";
import type { Group } from "./settings-groups.ts";

/** A group that was moved out of the agent's file, as it stood there. */
export type MovedGroup = Pick<Group, "event" | "text">;

export interface Journal {
  version: 1;
  settings: FileChange;
  /** Hooks that were taken over; `owed` are those that the stages of `settings` do not bring back. */
  takeOver?: { target: FileChange; moved: MovedGroup[]; owed: MovedGroup[] };
}

export const journalFolder = (stateFolder: string): string => join(stateFolder, "installs");

/** Whole ones alone: whoever was ended while writing left a piece under another name. May throw what the file system says. */
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
