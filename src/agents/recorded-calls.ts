/**
 * The calls of tools that agents themselves keep of their sessions, read piece by piece and within bounds, whatever lies at the path:
 * for who holds them against the calls that reached Hookline, and for who judges what was done before there were hooks. Each agent's
 * own form is a row in its folder, which is loaded where someone asks.
 */
import { opendirSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../engine/error.ts";
import type { Fields, Instant, Json, SessionId } from "../engine/event.ts";
import { isFields } from "../engine/schema.ts";
import { lineAtMost, linesFrom, openPlainFile } from "../files/lines-of-file.ts";
import type { Places } from "./adapter.ts";

/**
 * ran, failed: it was executed. refused: it was not, and `reason` says why. interrupted: a person ended it, perhaps before it began.
 * unknown: the agent's words do not tell.
 */
export type CallResult = "ran" | "failed" | "refused" | "interrupted" | "unknown";

export interface CallBegun {
  /** The agent's own; one call may be told of more than once. */
  id: string;
  /** As the agent calls it, with its input. */
  tool: string;
  input: Json;
}
export interface CallEnded {
  id: string;
  /** Where that differs from the entry's. */
  at?: Instant;
  result: CallResult;
  reason?: string;
}

/** What one entry tells, as far as it is about calls. */
export interface RecordedEntry {
  session?: SessionId;
  cwd?: string;
  at?: Instant;
  /** The subagent whose entry it is. */
  subagent?: { id: string; type?: string };
  begun?: readonly CallBegun[];
  ended?: readonly CallEnded[];
}

/** A file, or a part of one, in which an agent keeps (a part of) a session. */
export interface RecordedSource {
  path: string;
  /** As far as the path tells; the entries may tell more. */
  session?: SessionId;
  cwd?: string;
  subagent?: { id: string; type?: string };
  /** Where its end is, and when that was written. */
  end: number;
  modified: Instant;
}

export interface RecordedSessions {
  /** Those that were written since then, in any order; of a project, where they lie by projects. Never throws: what cannot be read is not there. */
  sources(where: Pick<Places, "home" | "environment"> & { folder?: string; since: Instant }): RecordedSource[];
  /** A line without any of these says nothing, and is not parsed. */
  marks: readonly string[];
  /** Undefined: it is about something else, or of another form. Never throws. */
  entry(written: Fields): RecordedEntry | undefined;
  /** Its tool and input as hooks see them. Absent: they do as they are. */
  canonical?(call: CallBegun): { tool_name: string; tool_input: Json };
  /** Its hooks are told no id of a call: what it is known by beside the moment, as `momentOf` takes it. Absent: by its id. */
  knownBy?(call: CallBegun, by: Pick<RecordedEntry, "session" | "subagent">): readonly unknown[];
  /** Where sources are no files of lines: the entries behind `from`, each with the end that reading it comes to. May throw. */
  open?(source: RecordedSource, from: number): Iterable<{ written: Fields; end: number }>;
}

/** How far a source was read. */
export interface ReadSoFar {
  end: number;
  /** What of it cannot be known. */
  why?: string;
}

interface Reading {
  from: number;
  hear(entry: RecordedEntry): void;
  /** Then it ends where it is. Asked after each entry. */
  isOver(): boolean;
}

/** So long, in milliseconds, others wait for a piece of it. */
const slice = 8;

/** Reads on behind `from`. A line whose end is not written yet is left for the next time. Never rejects. */
export async function readRecorded(
  { marks, entry, open }: RecordedSessions,
  source: RecordedSource,
  { from, hear, isOver }: Reading,
): Promise<ReadSoFar> {
  const opened = open ? undefined : openPlainFile(source.path);
  if (typeof opened === "string") return { end: from, why: opened };
  const needles = marks.map((mark) => Buffer.from(mark));
  let end = from;
  let why: string | undefined;
  let pause = performance.now() + slice;
  try {
    for (const one of open ? open(source, from) : linesOf(opened, from, needles)) {
      if ("why" in one) why ??= one.why;
      else if ("written" in one) {
        const told = entry(one.written);
        if (told) hear(told);
      }
      end = one.end;
      if (isOver()) break;
      if (performance.now() < pause) continue;
      await new Promise(setImmediate);
      pause = performance.now() + slice;
    }
  } catch (error) {
    why ??= `it cannot be read: ${messageOf(error)}`;
  } finally {
    opened?.close();
  }
  return { end, ...(why !== undefined && { why }) };
}

type Line = { end: number } & ({ written: Fields } | { why: string } | object);

function* linesOf(
  file: Exclude<ReturnType<typeof openPlainFile>, string> | undefined,
  from: number,
  needles: readonly Buffer[],
): Generator<Line> {
  if (!file) return;
  let before = from;
  for (const { bytes, end, isWhole } of linesFrom(file, from)) {
    if (!isWhole) return;
    const skipped = end - before - bytes.length - 1; // of lines that are too long to be given
    if (skipped > 0) yield { end: end - bytes.length - 1, why: tooLong(skipped) };
    before = end;
    if (!needles.some((needle) => bytes.includes(needle))) yield { end };
    else yield { end, ...parsed(bytes, end) };
  }
  if (file.size - before > lineAtMost) yield { end: before, why: tooLong(file.size - before) };
}

const tooLong = (bytes: number): string => `a line of it is ${Math.ceil(bytes / 1_048_576)} MB long`;

function parsed(bytes: Buffer, end: number): { written: Fields } | { why: string } | object {
  try {
    const written: unknown = JSON.parse(bytes.toString("utf8"));
    return isFields(written) ? { written } : {};
  } catch {
    return { why: `what stands before its byte ${end} is no JSON` };
  }
}

// What rows are made of.

/** A folder may hold more than anyone has sessions. */
const namesAtMost = 10_000;

/** The names in a folder. Never throws. */
export function namesIn(folder: string): string[] {
  const names: string[] = [];
  try {
    const opened = opendirSync(folder);
    try {
      for (let one = opened.readSync(); one && names.length < namesAtMost; one = opened.readSync())
        names.push(one.name);
    } finally {
      opened.closeSync();
    }
  } catch {
    // there is none, or it is not for us to see
  }
  return names;
}

type KnownByPath = Pick<RecordedSource, "session" | "subagent" | "cwd">;

/** The files of a folder that end so and were written since then. Never throws. */
export function sourcesIn(
  folder: string,
  { ending, since }: { ending: string; since: Instant },
  of: (name: string) => KnownByPath = () => ({}),
): RecordedSource[] {
  return namesIn(folder).flatMap((name) =>
    name.endsWith(ending) ? sourceAt(join(folder, name), since, of(name.slice(0, -ending.length))) : [],
  );
}

/** What is no file is one as well: that it cannot be read is told where it is tried. */
export function sourceAt(path: string, since: Instant, of: KnownByPath = {}): RecordedSource[] {
  try {
    const { size, mtimeMs } = statSync(path);
    return mtimeMs < since ? [] : [{ path, ...of, end: size, modified: Math.floor(mtimeMs) }];
  } catch {
    return []; // it is gone
  }
}

/** How agents write a path as the name of a folder; the names of long ones are cut, and something is put behind. */
export const isFolderOf = (name: string, project: string, written: (path: string) => string): boolean =>
  name.startsWith(written(project).slice(0, longestName));
const longestName = 180;

export const momentIn = (written: Json | undefined): { at?: Instant } => {
  const at = typeof written === "string" ? Date.parse(written) : typeof written === "number" ? written : Number.NaN;
  return Number.isNaN(at) ? {} : { at };
};

/** The first of the rules whose words are there; a result without any is `otherwise`. */
export function resultBy(
  text: string,
  rules: readonly (readonly [words: RegExp, result: CallResult])[],
  otherwise: CallResult,
): Omit<CallEnded, "id"> {
  const result = rules.find(([words]) => words.test(text))?.[1] ?? otherwise;
  return result === "refused" ? { result, reason: text.slice(0, reasonAtMost) } : { result };
}
const reasonAtMost = 300;
