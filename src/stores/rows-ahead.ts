/**
 * Rows that were acknowledged and are not in the store's file yet: lines of a file beside it, which outlives the process that wrote
 * them as the store itself does. A line costs a fiftieth of a transaction, so many tellings share one of those.
 */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import type { OwnProcess } from "../core/owner.ts";
import type { Writing } from "./database.ts";
import { isBusy, isDamage, isUnfit } from "./sqlite-library.ts";
import { replays, valuesIn, type WaitingRow } from "./waiting-rows.ts";

type Write = Writing["run"];

export interface RowsAhead {
  /** False: they are not kept here, and none of them is. Never throws. */
  keep(rows: readonly WaitingRow[]): boolean;
  /** What it holds did not come into the store: it is to be written again. */
  owe(): void;
  isOwing(): boolean;
  /** Writes all that it holds, turns as they are moved on from what the tables say by now. Throws what a write throws. */
  replay(write: Write): void;
  /** All that it holds is in the store. Never throws. */
  clear(): void;
  /** What is still owed is left for the next process. Safe to call twice. */
  close(): void;
}

/** More at once goes to the store itself, instead of to both. */
const atOnceInBytes = 256 * 1024;
/** While the store takes nothing. */
const atMostInBytes = 64 * 1024 * 1024;
const marked = "-ahead-";
/** Milliseconds without a row after which what is no longer needed is cut off. */
const idleAfter = 1_000;

/** Such a file of another namespace of processes, whose owner cannot be asked for from here, has none any more. Milliseconds. */
const foreignFor = 3_600_000;

/**
 * What is in the store is written over, as that costs half of what it costs to make the file grow anew: each line begins with the
 * mark of its time and its length, and the first with another mark is left over from an earlier one. Nobody who tells us something
 * knows the mark. Where nothing is to come any more, the first byte says so: rows of the past must not come back.
 *
 * @param path of the store
 */
export function createRowsAhead(path: string, { owner }: OwnProcess): RowsAhead {
  let file: { descriptor: number; path: string } | undefined;
  let mark = newMark();
  let size = 0;
  let turns = new Map<SQLInputValue | undefined, WaitingRow>(); // of sessions, by their ids: made anew instead of emptied
  let isOwing = false;
  let isUsed = false; // since the file was last looked at
  let idle: NodeJS.Timeout | undefined;

  function append(text: string, bytes: number): boolean {
    try {
      file ??= openNew(path, owner());
      if (writeSync(file.descriptor, text, size) < bytes) throw new Error("the disk is full");
      size += bytes;
      return true;
    } catch {
      cut(size);
      return false;
    }
  }

  /** Half a line would be taken for the beginning of the next: what cannot be cut off is not gone on with. */
  function cut(length: number): void {
    try {
      if (file) ftruncateSync(file.descriptor, length);
      size = length;
    } catch {
      if (file) closeSync(file.descriptor);
      file = undefined; // the next one has another name; whoever opens the store after us finds both
      size = 0;
    }
  }

  function spoil(): void {
    try {
      if (file) writeSync(file.descriptor, "\n", 0);
    } catch {
      cut(0);
    }
  }

  function whenIdle(): void {
    idle = undefined;
    if (isUsed || size > 0) waitForIdle();
    else cut(0);
  }

  function waitForIdle(): void {
    isUsed = false;
    idle = setTimeout(whenIdle, idleAfter).unref();
  }

  return {
    keep(rows) {
      if (rows.length === 0) return true;
      let text = "";
      for (const { is, values } of rows) {
        const line = JSON.stringify(values);
        text += `${mark} ${is} ${line.length} ${line}\n`;
      }
      const bytes = Buffer.byteLength(text);
      if (bytes > atOnceInBytes || size + bytes > atMostInBytes || !append(text, bytes)) return false;
      for (const row of rows) if (row.again) turns.set(row.values[0], row);
      return true;
    },
    owe() {
      isOwing = size > 0;
    },
    isOwing: () => isOwing,
    replay(write) {
      if (!file) return;
      replayLines(textOf(file.descriptor, size), ({ is, values }) => is === "session" || write(replays[is], ...values));
      for (const { again } of turns.values()) fit(() => again?.(write));
    },
    clear() {
      isOwing = false;
      if (turns.size > 0) turns = new Map();
      if (size === 0) return;
      spoil();
      size = 0;
      mark = newMark();
      isUsed = true;
      if (!idle) waitForIdle();
    },
    close() {
      clearTimeout(idle);
      if (!file) return;
      closeSync(file.descriptor);
      try {
        if (isOwing) renameSync(file.path, `${path}${marked}left-${Date.now()}`);
        else rmSync(file.path, { force: true });
      } catch {
        // its folder is gone, or may not be written to any more: whoever opens the store next finds it, if it is there
      }
      file = undefined;
    },
  };
}

/** By the descriptor, as somebody may have tidied the folder. */
function textOf(descriptor: number, size: number): string {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const read = readSync(descriptor, bytes, at, size - at, at);
    if (read === 0) break;
    at += read;
  }
  return bytes.toString("utf8");
}

const newMark = (): string => Math.random().toString(36).slice(2, 12).padEnd(10, "0");

/** The name that a process has among those of its namespace, and that. */
const inName = (owner: string): string => `${owner.replace(":", ".")}.${namespace()}`;

function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return ""; // a system without them
  }
}

function openNew(path: string, owner: string): { descriptor: number; path: string } {
  for (let count = 0; ; count++) {
    const own = `${path}${marked}${inName(owner)}-${count}`;
    try {
      return { descriptor: openSync(own, "wx+", 0o600), path: own };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}

/** Each by itself, so that one that cannot be read takes no others along: a machine that went down may have lost parts. */
function replayLines(text: string, write: (row: WaitingRow) => unknown): void {
  const mark = text.slice(0, text.indexOf(" ") + 1);
  for (const line of text.slice(0, text.lastIndexOf("\n") + 1).split("\n")) {
    if (!line.startsWith(mark)) return;
    const row = rowIn(line.slice(mark.length));
    if (row) fit(() => write(row));
  }
}

/** One that no store takes would keep all others out for ever. */
function fit(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    if (!isUnfit(error)) throw error;
  }
}

function rowIn(line: string): WaitingRow | undefined {
  const [, kind, length, text = ""] = /^(\w+) (\d+) (.*)$/.exec(line) ?? [];
  const is = kinds.find((one) => one === kind);
  if (!is || text.length !== Number(length)) return undefined;
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) && values.length === valuesIn[is] ? { is, values } : undefined;
  } catch {
    return undefined;
  }
}
// the keys of a literal
const kinds = Object.keys(replays) as WaitingRow["is"][];

/**
 * Writes what processes that live no more have acknowledged. Two who come at once do not both: who has renamed the file has it.
 *
 * @param transaction does the work as one. What fails is left for whoever opens the store next, and thrown behind all others
 */
export function recoverRowsAhead(
  path: string,
  { owner, isAlive }: OwnProcess,
  transaction: (work: (write: Write) => void) => void,
): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}${marked}`;
  let failure: { because: unknown } | undefined;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || isInUse(join(folder, name), name.slice(prefix.length), isAlive)) continue;
    const taken = takeOver(join(folder, name), `${path}${marked}${inName(owner())}-of-${name.slice(prefix.length)}`);
    if (taken === undefined) continue;
    try {
      transaction((write) =>
        replayLines(readFileSync(taken, "utf8"), ({ is, values }) => write(replays[is], ...values)),
      );
      rmSync(taken, { force: true });
    } catch (error) {
      takeOver(taken, join(folder, name));
      failure ??= { because: error };
      if (isBusy(error) || isDamage(error)) break; // all others would meet the same
    }
  }
  if (failure) throw failure.because;
}

function isInUse(file: string, named: string, isAlive: OwnProcess["isAlive"]): boolean {
  const [, pid, started, space] = /^(\d+)\.(\d*)\.(\d*)-/.exec(named) ?? [];
  if (pid === undefined) return false;
  if (space === namespace()) return isAlive(`${pid}:${started}`);
  const { size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  return size === 0 || Date.now() - mtimeMs < foreignFor;
}

function takeOver(from: string, to: string): string | undefined {
  try {
    renameSync(from, to);
    return to;
  } catch {
    return undefined; // another process was faster
  }
}
