/** hookline help: all commands on one screen, or one command with a real example. */
import { version } from "./build-version.ts";
import type { ExitCode } from "./command.ts";
import { commands, internalCommands } from "./commands.ts";

export async function printHelp(name: string | undefined, words: readonly string[] = []): Promise<ExitCode> {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name !== undefined && command?.choose) {
    process.stdout.write((await import("./operation.ts")).helpOf(name, command.summary, words));
    return 0;
  }
  if (command) {
    process.stdout.write(`${command.summary}\n\nusage:   hookline ${command.usage}\nexample: ${command.example}\n`);
    return 0;
  }
  const rows = Object.entries(commands).filter(([key]) => !internalCommands.has(key));
  const width = Math.max(...rows.map(([key]) => key.length));
  process.stdout.write(`Hookline: one hook engine for coding agents.\n\nusage: hookline COMMAND [--help]\n\n`);
  for (const [key, { summary }] of rows) process.stdout.write(`  ${key.padEnd(width)}  ${summary}\n`);
  process.stdout.write(`\nEverywhere: --cwd DIR  --json  --store FILE  --help. Start with: hookline demo --once\n`);
  return name === undefined || name === "help" ? 0 : 2;
}

export function printVersion(): ExitCode {
  process.stdout.write(`hookline ${version()}\n`);
  return 0;
}

/** `hook` has an entry of its own, for speed: main.ts sends it there before it looks at this table. */
export const hookIsDispatchedFirst = (): ExitCode => 2;
