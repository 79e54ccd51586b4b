/** What a process that stays has started, found when it was killed: all of it carries one process tag, and a file keeps that. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, statSync } from "node:fs";
import type { Seconds } from "../../engine/event.ts";
import { isOwn, writePrivate } from "../../files/write.ts";
import { endTagged, tagAll } from "./tree.ts";

export interface Strays {
  /** Ends what is left of them. Never rejects. */
  end(): Promise<void>;
}

/** At an orderly end, all of it has been told to end before. */
const lastGrace: Seconds = 0.5;

/**
 * Ends what the one before has left behind, then tags all that this process starts. To be called by whoever holds the
 * lock. May throw what the file system says.
 */
export async function tagStarted(file: string): Promise<Strays> {
  await straysOf(file).end();
  const tag = `hookline-${randomUUID()}`;
  writePrivate(file, tag);
  tagAll(tag);
  return {
    async end() {
      if (await endTagged(tag, lastGrace)) remove(file, tag);
    },
  };
}

/** What a process has left behind that was killed, or will be: programs with the tag that is in the file now. Never throws. */
export function straysOf(file: string): Strays {
  const tag = readTag(file);
  return {
    async end() {
      if (tag !== undefined && (await endTagged(tag))) remove(file, tag);
    },
  };
}

/** The folder may be one that others write to: another text than ours could mean processes that are none of these. */
function readTag(file: string): string | undefined {
  try {
    if (!isOwn(statSync(file).uid)) return undefined;
    const tag = readFileSync(file, "utf8");
    return /^hookline-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(tag) ? tag : undefined;
  } catch {
    return undefined; // there is none: nobody was killed
  }
}

/** Whoever has started meanwhile has a tag of its own there. */
function remove(file: string, tag: string): void {
  try {
    if (readTag(file) === tag) rmSync(file, { force: true });
  } catch {
    // its folder cannot be written any more: the next start finds nobody with that tag
  }
}
