/** What a process that stays has started, found when it was killed: all of it carries one mark, and a file keeps that. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Seconds } from "../core/event.ts";
import { markAll } from "./cookie.ts";
import { endMarked } from "./tree.ts";

export interface Strays {
  /** Ends what is left of them. Never rejects. */
  end(): Promise<void>;
}

/** At an orderly end, all of it has been told to end before. */
const lastGrace: Seconds = 0.5;

/**
 * Ends what the one before has left behind, then marks all that this process starts. To be called by whoever holds the
 * lock. May throw what the file system says.
 */
export async function markStarted(file: string): Promise<Strays> {
  await straysOf(file).end();
  const mark = `hookline-${randomUUID()}`;
  rmSync(file, { force: true });
  writeFileSync(file, mark, { mode: 0o600, flag: "wx" });
  markAll(mark);
  return {
    async end() {
      if (await endMarked(mark, lastGrace)) remove(file, mark);
    },
  };
}

/** What a process has left behind that was killed, or will be: programs with the mark that is in the file now. Never throws. */
export function straysOf(file: string): Strays {
  const mark = readMark(file);
  return {
    async end() {
      if (mark !== undefined && (await endMarked(mark))) remove(file, mark);
    },
  };
}

/** The folder may be one that others write to: another text than ours could mean processes that are none of these. */
function readMark(file: string): string | undefined {
  try {
    if (process.getuid !== undefined && statSync(file).uid !== process.getuid()) return undefined;
    const mark = readFileSync(file, "utf8");
    return /^hookline-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(mark) ? mark : undefined;
  } catch {
    return undefined; // there is none: nobody was killed
  }
}

/** Whoever has started meanwhile has a mark of its own there. */
function remove(file: string, mark: string): void {
  try {
    if (readMark(file) === mark) rmSync(file, { force: true });
  } catch {
    // its folder cannot be written any more: the next start finds nobody with that mark
  }
}
