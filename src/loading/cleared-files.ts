/**
 * Broken hook files in which `hookline check` found no word that makes a guard: they stand for none until they change (R76).
 * One empty file of the state folder for each, named by the path and the text that was looked at.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprint } from "../engine/fingerprint.ts";
import type { ActionUse, Registry } from "../engine/ports.ts";
import { readSmallFile } from "./read-file.ts";

export interface ClearedFiles {
  /** Whether the file, as it is now, was found to hold no guard. Never throws. */
  holdsNone(path: string): boolean;
  /** Looks at the file, and keeps what it sees. Throws where that cannot be kept. */
  look(path: string, registry: Registry): "holds none" | "may hold guards";
}

/** Words that make a guard in files of any format, and signs by which other words could be written. */
const words = ["guard", "block", "closed", "pre-commit", "deny", '"ask"', "\\\\u", "\\\\x"];

/** As much as a file of any format may hold. */
const limitInBytes = 4 * 1024 * 1024;

export function clearedFiles(stateFolder: string): ClearedFiles {
  const folder = join(stateFolder, "cleared");
  const textOf = (path: string): string | undefined => {
    const found = readSmallFile(path, limitInBytes);
    return found.is === "read" ? found.text : undefined;
  };
  const markOf = (path: string, text: string): string => join(folder, fingerprint(`${path}\0${text}`));
  return {
    holdsNone(path) {
      if (!existsSync(folder)) return false;
      const text = textOf(path);
      return text !== undefined && existsSync(markOf(path, text));
    },
    look(path, registry) {
      const text = textOf(path);
      if (text === undefined || mayHoldGuards(text.toLowerCase(), registry)) return "may hold guards";
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(markOf(path, text), "", { mode: 0o600 });
      return "holds none";
    },
  };
}

const mayHoldGuards = (text: string, { handlers }: Registry): boolean =>
  words.some((word) => text.includes(word)) ||
  [...handlers].some(([name, { action }]) => action !== undefined && canGuard(action) && text.includes(name));

/** Its role may depend on parameters that are not known. */
function canGuard({ role }: ActionUse): boolean {
  try {
    return role({}) === "guard";
  } catch {
    return true;
  }
}
