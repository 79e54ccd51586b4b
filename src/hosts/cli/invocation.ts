/** What a person typed, and where: a command line becomes an invocation. Apart from command.ts, because an agent's events need no terminal. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../../engine/error.ts";
import { nearest } from "../../engine/nearest.ts";
import { type Command, environmentOf, type Flags, globalFlags, type Invocation, usageError } from "./command.ts";
import { openTerminal } from "./terminal.ts";

export function invocationOf(command: Command, given: readonly string[], signal: AbortSignal): Invocation {
  const { values, positionals } = parse(command, command.prepared?.(given) ?? given);
  const cwd = folderOf(values, command.usage);
  return {
    words: positionals,
    flags: values,
    usage: command.usage,
    terminal: openTerminal(process.stdout, process.stderr, {
      environment: process.env,
      quiet: values.quiet === true && values.json !== true,
      json: values.json === true,
    }),
    json: values.json === true,
    cwd,
    home: process.env.HOME || homedir(),
    environment: environmentOf(process.env),
    self: [process.execPath, process.env.HOOKLINE_BIN ?? process.argv[1] ?? ""],
    signal,
  };
}

function folderOf({ cwd }: Flags, usage: string): string {
  const folder = resolve(typeof cwd === "string" ? cwd : process.cwd());
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw usageError(`the folder ${folder} does not exist`, usage);
}

function parse(command: Command, given: readonly string[]): { values: Flags; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...given],
      options: { ...globalFlags, ...command.flags },
      allowPositionals: true,
      strict: true,
    });
    if (positionals.length > command.words) throw new Error(`unexpected argument "${positionals[command.words]}"`);
    return { values: values as Flags, positionals }; // every flag takes text or nothing, so no list holds a boolean
  } catch (error) {
    throw usageError(unknownFlag(command, error) ?? messageOf(error), command.usage);
  }
}

/** Node's own message advises how to write an argument that begins with a dash: hardly ever what is meant. */
function unknownFlag(command: Command, error: unknown): string | undefined {
  const [, flag] = /^Option '(--[\w-]+)[^']*' argument is ambiguous/.exec(messageOf(error)) ?? [];
  if (flag !== undefined) return `${flag} needs a value, and what follows begins with a dash`;
  const [, written = ""] = /^Unknown option '(-[^']*)'/.exec(messageOf(error)) ?? [];
  if (written === "") return undefined;
  const near = nearest(written.replace(/^-+/, ""), Object.keys({ ...globalFlags, ...command.flags }));
  return `unknown flag ${written}${near === undefined ? "" : `: did you mean --${near}?`}`;
}
