/**
 * When a process that stays brings its write-ahead log into the store's file: not between a telling and its answer, as SQLite does
 * by itself every 1,000 pages, but when nobody has written for a while, or right behind the answers of a group once much waits.
 */
import { behindAnswers } from "./group-commit.ts";

export interface LogKeeping {
  /** Something was written, a group or one thing alone. Never throws. */
  wrote(): void;
  /** Safe to call twice. */
  close(): void;
}

export interface LogKeepingOptions {
  /** Pages that stand only in the log; undefined while a transaction is open, in which nothing can be brought over. May throw. */
  outstanding(): number | undefined;
  /** Brings them into the file as far as nobody reads what they replace. Waits for nobody. May throw. */
  copy(): void;
  /** The timer of an idle process must not keep it. */
  later?(milliseconds: number, callback: () => void): () => void;
}

/** 16 MB: what is written again and again, as the ends of indexes are, is brought over once. */
const pagesAtMost = 4_000;
/** Fewer can wait for others: each time costs two waits for the disk. */
const pagesWhenIdle = 250;
const idleAfter = 1_000;
/** So many writes pass between two looks at the log, which cost a few microseconds. */
const looksEvery = 16;

export function createLogKeeping({ outstanding, copy, later = unreferenced }: LogKeepingOptions): LogKeeping {
  let writes = 0;
  let writesBefore = 0; // at the last look for idleness
  let undo: (() => void) | undefined;
  let isDue = false;
  let isClosed = false;

  function copyFrom(pages: number): void {
    if (isClosed) return;
    try {
      const waiting = outstanding();
      isDue &&= waiting === undefined;
      if (waiting !== undefined && waiting >= pages) copy();
    } catch {
      // somebody is at it, or the disk fails: whoever writes next hears of that, and it is tried again
    }
  }

  function look(): void {
    undo = undefined;
    if (writes === writesBefore) copyFrom(pagesWhenIdle);
    else {
      writesBefore = writes;
      undo = later(idleAfter, look);
    }
  }

  const copyMuch = (): void => copyFrom(pagesAtMost);

  return {
    wrote() {
      if (isClosed) return;
      writes += 1;
      if (isDue)
        copyMuch(); // who wrote next was faster than it: now, or it would grow without end
      else if (writes % looksEvery === 0) {
        isDue = true;
        behindAnswers(copyMuch);
      }
      undo ??= later(idleAfter, look);
    },
    close() {
      isClosed = true;
      undo?.();
      undo = undefined;
    },
  };
}

function unreferenced(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds).unref();
  return () => clearTimeout(timer);
}
