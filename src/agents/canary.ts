/**
 * What `hookline doctor --fire` sends through a registration to see whether it arrives: an event for no hook. The session says that it
 * is one. Its name stands in the state folder, which no project and no agent fills, so nothing else passes for one.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readRegularTextSync } from "../files/regular-file.ts";
import { makePrivateFolder, writePrivate } from "../files/write.ts";

/** Of the sessions. */
export const canaryPrefix = "hookline-canary-";
const fileIn = (stateFolder: string): string => join(stateFolder, "canary");

/** The hook that it is for, which does not exist. */
export const canaryHook = "doctor";

export interface Canary {
  session: string;
  end(): void;
}

/** May throw what the file system says. */
export function newCanary(stateFolder: string): Canary {
  const session = `${canaryPrefix}${randomBytes(16).toString("hex")}`;
  makePrivateFolder(stateFolder);
  writePrivate(fileIn(stateFolder), session);
  return { session, end: () => rmSync(fileIn(stateFolder), { force: true }) };
}

/** Never throws. */
export function isCanary(session: string | undefined, stateFolder: string): boolean {
  if (!session?.startsWith(canaryPrefix)) return false;
  try {
    return readRegularTextSync(fileIn(stateFolder)) === session;
  } catch {
    return false; // none is out
  }
}
