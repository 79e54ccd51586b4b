/** Notes: a text with a name in a project. Each has a copy on disk that any program can read, and is found by memory search. */

import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { MaybePromise } from "../../engine/event.ts";
import { slugOf } from "../../engine/fingerprint.ts";
import { nearest } from "../../engine/nearest.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";
import { type Cause, type NoteOperation, ofNote, type PublisherOptions, publish } from "./event-publisher.ts";
import { clean, type MemoryRecord, type NoteRecord, type ServiceOptions, sourceOfNote, titleOf } from "./records.ts";

export interface NotesOptions extends ServiceOptions, PublisherOptions {
  newId(): string;
  copies: NoteCopies;
}
export interface NoteToWrite {
  project: string;
  name: string;
  title?: string;
  content: string;
}
export interface Note extends NoteRecord {
  /** The file that holds its content. */
  path: string;
}

/** Each may throw an Error whose message tells a person what to do. */
export interface Notes {
  list(project: string): Promise<Note[]>;
  known(project: string, name: string): Promise<Note>;
  /** What it held before is gone. `isNew` says whether it held anything. */
  write(note: NoteToWrite, cause: Cause): Promise<{ note: Note; isNew: boolean }>;
  remove(project: string, name: string, cause: Cause): Promise<Note>;
  /** Makes copies anew whose change was cut off, by the end of its process say. Never rejects: `complain` says what could not be mended. */
  mend(): Promise<void>;
}

export function createNotes(options: NotesOptions): Notes {
  const { records, now, newId, redact, copies, complain } = options;
  const withPath = (note: NoteRecord): Note => ({ ...note, path: copies.pathOf(note.project, note.name) });

  async function unknown(project: string, name: string): Promise<Error> {
    const names = (await records.notes.list(project)).map((one) => one.name);
    const near = nearest(name, names);
    return new Error(`no note of the project ${project} is called "${name}"${near ? `; did you mean "${near}"?` : ""}`);
  }

  async function announce(operation: NoteOperation, note: Note, cause: Cause): Promise<void> {
    await publish(options, ofNote(operation, note, note.path, await records.get(note.project)), cause);
  }

  async function mend(): Promise<void> {
    try {
      for (const { change, over } of copies.unfinished()) {
        await mendOne(change);
        over();
      }
    } catch (error) {
      complain(`copies of notes cannot be brought up to date: ${messageOf(error)}`);
    }
  }

  async function mendOne({ project, name }: Change): Promise<void> {
    if (name !== undefined)
      await records.notes.hold(project, name, (note) =>
        note ? copies.write(project, name, note.content) : copies.remove(project, name),
      );
    else if (!(await records.get(project))) copies.removeAll(project);
  }

  /** Of a row and its copy neither is changed alone: whatever is cut off in between is mended. */
  async function changed<T>(change: Change, work: (begin: () => void) => MaybePromise<T>): Promise<T> {
    let over = (): void => {};
    try {
      const result = await work(() => {
        over = copies.begin(change);
      });
      over();
      return result;
    } catch (error) {
      await mend();
      throw error;
    }
  }

  return {
    mend,
    list: async (project) => (await records.notes.list(project)).map(withPath),
    async known(project, written) {
      const name = nameOf(written);
      const note = await records.notes.get(project, name);
      if (!note) throw await unknown(project, name);
      return withPath(note);
    },
    async write({ project, name: written, title, content: given }, cause) {
      if (!(await records.get(project))) throw new Error(`no project is called "${project}"`);
      const name = nameOf(written);
      if ((await redact(written)) !== written) throw new Error("what looks like a secret is no name for a note");
      const content = await redact(clean(given));
      const before = await records.notes.get(project, name);
      const called = titleOf(await redact(title ?? before?.title ?? written)) || name;
      const at = now();
      const note = withPath({ project, name, title: called, content, created: before?.created ?? at, updated: at });
      const memories = sectionsOf(note).map(
        (section): MemoryRecord => ({ id: newId(), project, source: sourceOfNote(name), created: at, ...section }),
      );
      const isNew = await changed({ project, name }, (begin) =>
        records.notes.save(note, memories, () => {
          begin();
          copies.write(project, name, content);
        }),
      );
      await announce(isNew ? "created" : "updated", note, cause);
      return { note, isNew };
    },
    async remove(project, written, cause) {
      const name = nameOf(written);
      const removed = await changed({ project, name }, (begin) =>
        records.notes.remove(project, name, () => {
          begin();
          copies.remove(project, name);
        }),
      );
      if (!removed) throw await unknown(project, name);
      const note = withPath(removed);
      await announce("deleted", note, cause);
      return note;
    },
  };
}

/** A name is typed in many ways, and is one file. */
function nameOf(written: string): string {
  const name = slugOf(written.replace(/\.md$/i, ""));
  if (name === "") throw new Error(`"${written}" is no name for a note: it holds no letter and no digit`);
  return name;
}

// The copies of notes on disk, and the sections that a note's text has.

/** A change of copies that goes with one of the store: of one note, or of all that a project had. */
interface Change {
  project: string;
  name?: string;
}
export interface NoteCopies {
  pathOf(project: string, name: string): string;
  /** Readers see the old text or the new one. Throws what the file system says. */
  write(project: string, name: string, content: string): void;
  remove(project: string, name: string): void;
  /** All of a project. */
  removeAll(project: string): void;
  /** To be called before a change, and what it gives once the store has it as well: so that it is known if that never comes. */
  begin(change: Change): () => void;
  /** Those that were begun and not brought to an end, each with what says that it is over. */
  unfinished(): { change: Change; over(): void }[];
}

const mark = ".unfinished";

/** @param folder holds a folder for each project; both are made when they are needed, for no other user to read */
export function createNoteCopies(folder: string): NoteCopies {
  const pathOf = (project: string, name: string): string => join(folder, project, `${name}.md`);
  return {
    pathOf,
    write(project, name, content) {
      const path = pathOf(project, name);
      makePrivateFolder(dirname(folder), [basename(folder), project]);
      writePrivate(path, content);
    },
    remove: (project, name) => rmSync(pathOf(project, name), { force: true }),
    removeAll: (project) => rmSync(join(folder, project), { recursive: true, force: true }),
    begin(change) {
      makePrivateFolder(dirname(folder), [basename(folder)]);
      const path = join(folder, `.${process.pid}-${Math.random().toString(36).slice(2)}${mark}`);
      writePrivate(path, JSON.stringify(change));
      return () => rmSync(path, { force: true });
    },
    unfinished() {
      const marks = namesIn(folder).filter((name) => name.startsWith(".") && name.endsWith(mark));
      return marks.flatMap((name) => {
        const path = join(folder, name);
        const change = changeIn(path);
        return change ? [{ change, over: () => rmSync(path, { force: true }) }] : [];
      });
    },
  };
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return []; // no note was ever written
    throw error;
  }
}

/** Undefined where another process has ended it since, or was killed before it began with anything. */
function changeIn(path: string): Change | undefined {
  try {
    return JSON.parse(readRegularTextSync(path)) as Change; // only this file writes here
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What stands under each heading of a Markdown text, as far as there is anything; what stands before has the title. */
export function sectionsOf({
  title,
  content,
}: {
  title: string;
  content: string;
}): { heading: string; content: string }[] {
  const sections = [{ heading: title, lines: [] as string[] }];
  let fence: string | undefined;
  for (const line of content.split("\n")) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const heading = fence === undefined ? /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1] : undefined;
    if (heading) sections.push({ heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections
    .map(({ heading, lines }) => ({ heading, content: lines.join("\n").trim() }))
    .filter(({ heading, content: text }) => text !== "" || heading !== title);
}
