/** The file that git runs before each commit, pre-commit.sh with its values: written, recognised in each form of earlier builds, and read back. */
import { fingerprint } from "../../engine/fingerprint.ts";
import { filled, ownText } from "../../files/own-files.ts";
import { asWord, onPathText } from "../install/launch.ts";

export interface Stub {
  /** Absolute: the Node that runs us, and our bin. */
  program: readonly [string, string];
  /** The name of the kept hook, in the stub's own folder. */
  original?: string;
  /** The words that start the shell it is read by, where it goes by its own name and place. */
  shell?: readonly string[];
  /**
   * Git folders of repositories in which a guard waits for commits: without Hookline they are refused there. "." is whatever
   * repository runs it.
   */
  guarded: readonly string[];
  /** The hooks folder was made for it, and goes with it. */
  madeFolder?: boolean;
}

const mark = "# hookline:managed";

/** Whether this is a stub of ours, of whatever version. */
export const isStub = (text: string): boolean => text.split("\n", 5).includes(mark);

/** The kept hook that a stub names. */
export const originalOf = (text: string): string | undefined => /^original='([\w.-]+)'$/m.exec(text)?.[1];

/** Whether a stub says that its folder was made for it. */
export const madeItsFolder = (text: string): boolean => /^# made: its folder$/m.test(text);

/** What a stub has noted; files of hooks are what earlier builds wrote there. */
export const guardedOf = (text: string): string[] =>
  (/^guarded='((?:[^']|'\\'')*)'$/m.exec(text)?.[1] ?? "")
    .replaceAll("'\\''", "'")
    .split("//")
    .filter((path) => path !== "");

/** Whether it is as some version of Hookline wrote it. */
export function isAsWritten(text: string): boolean {
  const [head = "", sum] = withSum.exec(text) ?? [];
  return sum !== undefined && fingerprint(text.slice(head.length)) === sum;
}
const start = `#!/bin/sh\n${mark}\n`;
const withSum = new RegExp(`^${start}# sum: (\\w+)\n`);

/** The whole file. */
export function printStub({ program: [node, bin], original = "", shell, guarded, madeFolder = false }: Stub): string {
  const text = filled(ownText(import.meta.url, "./pre-commit.sh"), {
    MADE: madeFolder ? "# made: its folder" : "",
    NODE: asWord(node),
    BIN: asWord(bin),
    ORIGINAL: asWord(original),
    GUARDED: asWord(guarded.length === 0 ? "" : `//${guarded.join("//")}//`),
    SHELL: shell ? `${shell.map(asWord).join(" ")} ${readInPlace}` : "",
    ON_PATH: onPathText('"$hl_top"', 'git run pre-commit --by "$0"'),
  });
  return `${start}# sum: ${fingerprint(text)}\n${text}`;
}

/** Makes a shell read the kept hook as if it had been started where it was. */
const readInPlace = `-c 'kept=$1; shift; . "$kept"' "$here/pre-commit"`;
