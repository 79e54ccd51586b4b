/** In which repositories a person has said `hookline git install`: only there may a session put the hook in place. */
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fingerprint } from "../core/fingerprint.ts";
import { isRecord } from "../core/schema.ts";
import { makePrivateFolder, writePrivate } from "../files/write.ts";

export interface Consent {
  /** Our hook was in its place when it was last looked at. */
  inPlace: boolean;
}

const folderOf = (stateFolder: string): string => join(stateFolder, "git");
const fileOf = (stateFolder: string, repository: string): string =>
  join(folderOf(stateFolder), fingerprint(repository));

/**
 * Another repository at the same path is nobody's yes. The device says nothing: it has another number after the next start
 * of some machines.
 */
function identityOf(repository: string): string {
  const { ino, birthtimeNs } = statSync(repository, { bigint: true });
  return `${ino}:${birthtimeNs}`;
}

/** One look at one folder, so that it costs nothing where git was never installed. */
export const anyConsent = (stateFolder: string): boolean => existsSync(folderOf(stateFolder));

/**
 * undefined: there is none. Never throws.
 *
 * @param repository the folder that all its worktrees share
 */
export function consentFor(stateFolder: string, repository: string): Consent | undefined {
  try {
    const noted: unknown = JSON.parse(readFileSync(fileOf(stateFolder, repository), "utf8"));
    if (!isRecord(noted) || noted.repository !== repository || noted.identity !== identityOf(repository))
      return undefined;
    return { inPlace: noted.inPlace === true };
  } catch {
    return undefined; // never noted
  }
}

/** May throw what the file system says. */
export function noteConsent(stateFolder: string, repository: string, { inPlace }: Consent): void {
  const noted = { repository, identity: identityOf(repository), inPlace };
  makePrivateFolder(folderOf(stateFolder));
  writePrivate(fileOf(stateFolder, repository), `${JSON.stringify(noted)}\n`);
}

export function forgetConsent(stateFolder: string, repository: string): void {
  rmSync(fileOf(stateFolder, repository), { force: true });
}
