/** In which repositories a person has said `hookline git install`: only there may a session put the hook back or take it out. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprint } from "../core/fingerprint.ts";

const folderOf = (stateFolder: string): string => join(stateFolder, "git");
const fileOf = (stateFolder: string, repository: string): string =>
  join(folderOf(stateFolder), fingerprint(repository));

const contentOf = (repository: string): string => `${repository}\n`;

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // never noted
  }
}

/** One look at one folder, so that it costs nothing where git was never installed. */
export const anyConsent = (stateFolder: string): boolean => existsSync(folderOf(stateFolder));

/** @param repository the folder that all its worktrees share */
export const hasConsent = (stateFolder: string, repository: string): boolean =>
  textOf(fileOf(stateFolder, repository)) === contentOf(repository);

/** May throw what the file system says. */
export function noteConsent(stateFolder: string, repository: string): void {
  mkdirSync(folderOf(stateFolder), { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(stateFolder, repository), contentOf(repository), { mode: 0o600 });
}

export function forgetConsent(stateFolder: string, repository: string): void {
  rmSync(fileOf(stateFolder, repository), { force: true });
}
