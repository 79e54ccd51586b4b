/** The copies of notes on disk, and the sections that a note's text has. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";

/** A change of copies that goes with one of the store: of one note, or of all that a project had. */
export interface Change {
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
  /** Those that somebody began and did not bring to an end, with what says that they are over. */
  unfinished(): { change: Change; over(): void }[];
}

const mark = ".unfinished";

/** @param folder holds a folder for each project; both are made when they are needed, for nobody else to read */
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
    return JSON.parse(readFileSync(path, "utf8")) as Change; // nobody else writes here
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
