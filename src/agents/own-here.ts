/** Whether an entry of ours is this machine's: a settings file that is shared also holds those of others, whose programs are not here. */
import { accessSync, constants } from "node:fs";
import { isAbsolute } from "node:path";
import type { Places } from "./adapter.ts";
import { type StandingEntry, wordsBefore } from "./registration-read.ts";

export interface Machine extends Pick<Places, "home" | "environment"> {
  /** What agents' own HTTP hooks send to the daemon of this user, if there is one. */
  token: string | undefined;
  /** Install has written the file, for this user. */
  isInstalled: boolean;
}

export function isHere({ handler: { command, headers } }: StandingEntry, machine: Machine): boolean {
  if (typeof command === "string") return areThere(wordsBefore(command), machine);
  const sent = headers && typeof headers === "object" && "authorization" in headers ? headers.authorization : undefined;
  return machine.isInstalled || (machine.token !== undefined && sent === `Bearer ${machine.token}`);
}

/** What only a shell can tell of is as its author says. */
function areThere(words: readonly string[], { home, environment = {} }: Machine): boolean {
  const known: Machine["environment"] = { ...environment, HOME: home };
  const read = (word: string): string =>
    word
      .replace(/^~(?=\/)/, home)
      .replaceAll(
        /\\(["\\$`])|\$(?:\{(\w+)\}|(\w+))/g,
        (all, escaped, braced, bare) => escaped ?? known[braced ?? bare] ?? all,
      );
  return words
    .map(read)
    .every(
      (word, index) =>
        !isAbsolute(word) || /[$`\\]/.test(word) || isThere(word, index === 0 ? constants.X_OK : constants.F_OK),
    );
}

/** @param right constants.X_OK or F_OK */
function isThere(file: string, right: number): boolean {
  try {
    accessSync(file, right);
    return true;
  } catch {
    return false;
  }
}
