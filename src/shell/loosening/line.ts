/** One line as the guard against loosening reads it: its commands, what these tell each other, and what the guard says of them. */
import { baseName, type Spelling, unknownText } from "../../engine/command-pattern.ts";
import type { ShellReading, SimpleCommand } from "../../engine/effects.ts";
import type { OwnPlaces } from "../../engine/loosening.ts";

export interface Line {
  reading: ShellReading;
  spell(words: readonly string[]): Spelling;
  own: OwnPlaces;
  /** The folder that the agent works in. */
  workspace: string;
  /** Who works on Hookline itself may change its files. */
  isDeveloped: boolean;
}

export const bringsIn = "bring code into an agent, or start it without its hooks";

export const readsKey = "read the key to Hookline's daemon";
export const changes = "change Hookline's own files";
export const touches = "touch Hookline's own files";
export const speaks = "speak to Hookline's daemon";
export const removes = "change or remove the installed Hookline";
export const stops = "stop the daemon of Hookline";
export const takes = "take away the Node that Hookline runs with";

export const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Between words of code and of lines. What only the shell knows is a part of its word. */
export const between: RegExp = /[\s'"`;|&()<>,=[\]{}\\]+/;

export const onlyUnknown: RegExp = new RegExp(`^${unknownText}+$`);

/** Programs whose operand means all that is below it. */
export const sweeping: ReadonlySet<string> = set(
  "rm mv chmod chown chgrp chattr setfacl rsync shred find fd unlink rmdir ln mount umount bindfs trash trash-put",
);

export const locators: ReadonlySet<string> = set(
  "which command type whereis readlink realpath whence where locate find fd pgrep pidof ps",
);

export const isAsked = (command: SimpleCommand, line: Line, named: RegExp): boolean =>
  sourcesOf(command, line).some(
    ({ words }) => locators.has(baseName(words[0] ?? "")) && words.some((word) => named.test(word)),
  );

/** The commands whose output stands in its words or is given to it, through others: `dirname $(readlink -f $(which x))`. */
export function sourcesOf(command: Pick<SimpleCommand, "given" | "input">, { reading }: Line): SimpleCommand[] {
  const found = new Set<SimpleCommand>();
  const open: Pick<SimpleCommand, "given" | "input">[] = [command];
  for (let one = open.pop(); one !== undefined && found.size < mostSources; one = open.pop())
    for (const index of [...one.given, ...one.input]) {
      const source = reading.commands[index];
      if (source === undefined || found.has(source)) continue;
      found.add(source);
      open.push(source);
    }
  return [...found];
}
const mostSources = 50;
