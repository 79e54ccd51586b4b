/**
 * Hooks as the last load compiled them, for commands that live for one event: reading them back costs a tenth of reading
 * the hook files. The copy counts only while every path that was looked at is as it was, and for one build of Hookline.
 */

import { lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { placeVariables } from "../agents/index.ts";
import { fingerprint } from "../engine/fingerprint.ts";
import { environmentName } from "../engine/hook.ts";
import { isRecord } from "../engine/schema.ts";
import { readRegularTextSync } from "../files/regular-file.ts";
import { isPrivate, makePrivateFolder, writePrivate } from "../files/write.ts";
import type { LoadedHooks, LoadRequest } from "./load.ts";

/** Of many hooks in one compiled copy. */
const largestCompiledInBytes = 64 * 1024 * 1024;

export interface CompiledHooks {
  /** The hooks of the last load, if nothing has changed since; else the paths that it looked at. Never throws. */
  read(): { loaded: LoadedHooks } | { watched: readonly string[] };
  /** Never throws: a copy that cannot be kept costs time and nothing else. */
  keep(load: StableLoad, now: number): void;
}

/** A file that was written so shortly before may be written again within the same tick of its clock. */
const settledAfter = 2_000;

/**
 * @param folder a private folder of the user's, such as the state folder
 * @param build names this build of Hookline; another one compiles differently
 */
export function compiledHooks(folder: string, build: string, { cwd, home, environment }: LoadRequest): CompiledHooks {
  const places = placeVariables().map((name) => environment[name] ?? "");
  const file = join(
    folder,
    "compiled",
    `${fingerprint(JSON.stringify([cwd, home, ...places, environmentName(environment)]))}.json`,
  );
  return {
    read() {
      try {
        if (!isPrivate(file)) return unknown; // it says what runs
        const kept: unknown = JSON.parse(readRegularTextSync(file, largestCompiledInBytes));
        if (!isRecord(kept) || kept.build !== build || kept.cwd !== cwd) return unknown;
        const loaded = kept.loaded as LoadedHooks; // written by keep() of this very build
        return stateOf(loaded.watched) === kept.state ? { loaded } : { watched: loaded.watched };
      } catch {
        return unknown; // not there, or not readable: the files themselves are
      }
    },
    keep({ loaded, state }, now) {
      if (state === "" || hasChangedSince(loaded.watched, now - settledAfter)) return;
      try {
        makePrivateFolder(dirname(file));
        writePrivate(file, JSON.stringify({ build, cwd, state, loaded }));
      } catch {
        // a full disk, a read-only home: the next event reads the files again
      }
    },
  };
}

const unknown: { watched: readonly string[] } = { watched: [] };

/** Also behind a link: the link and what it leads to may each have changed. */
const hasChangedSince = (paths: readonly string[], moment: number): boolean =>
  paths.some((path) => [lstatSync, statSync].some((look) => changedAt(look, path) > moment));

function changedAt(look: typeof lstatSync, path: string): number {
  try {
    const found = look(path, { throwIfNoEntry: false });
    return found ? Math.max(found.mtimeMs, found.ctimeMs) : 0;
  } catch {
    return 0; // it cannot be looked at now either: its state says so
  }
}

/** A load that nothing changed under: its copy counts as long as its paths look as they did. */
export interface StableLoad<T extends Pick<LoadedHooks, "watched"> = LoadedHooks> {
  loaded: T;
  /** Of everything that it was loaded from, as it was before; "" if it did not hold still. */
  state: string;
}

/** Files that change faster are loaded again the next time. */
const triesAtMost = 3;

/**
 * Loads between two looks at the same paths: the state is older than what was read, so an edit in between is seen the
 * next time. Which paths those are is only known afterwards, so new ones cost another round.
 */
export async function loadStable<T extends Pick<LoadedHooks, "watched">>(
  load: () => Promise<T>,
  expected: readonly string[],
): Promise<StableLoad<T>> {
  let watched = expected;
  for (let tries = 1; ; tries++) {
    const state = stateOf(watched);
    const loaded = await load();
    if (isSame(loaded.watched, watched)) return { loaded, state };
    if (tries === triesAtMost) return { loaded, state: "" };
    watched = loaded.watched;
  }
}

const isSame = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((path, index) => path === right[index]);

/** Identity, size and times of every path, on one line. */
export const stateOf = (paths: readonly string[]): string => paths.map(pathState).join(" ");

function pathState(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}` : "-";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "?"; // a loop of links, or it may not be looked at
  }
}
