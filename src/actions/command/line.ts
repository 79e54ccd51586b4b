/** From a hook's command to the program that is started: bash where there is one, else sh, or the program itself (R15). */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { AgentConventions } from "../../engine/ports.ts";

export interface CommandWish {
  command: string;
  args?: string[];
  shell?: "bash" | "sh" | "powershell";
  /** Whose variables its arguments may name beside Hookline's. */
  conventions?: AgentConventions | undefined;
}
export interface Line {
  program: string;
  args: string[];
}

type Environment = Readonly<Record<string, string>>;
type Find = (name: string, path: string) => string | undefined;

/** The program and its arguments, or a sentence why there is none. */
export function lineOf(wish: CommandWish, environment: Environment, find: Find): Line | string {
  const { command, args, shell, conventions } = wish;
  const fill = (argument: string): string => filled(argument, environment, conventions);
  if (args) return { program: fill(command), args: args.map(fill) };
  const names = shell === "powershell" ? ["pwsh", "powershell"] : shell === "sh" ? ["sh"] : ["bash", "sh"];
  const path = environment.PATH ?? process.env.PATH ?? "";
  for (const name of names) {
    const program = find(name, path);
    if (program !== undefined) return { program, args: [...(shellOptions[name] ?? []), command] };
  }
  return `no ${names.join(" or ")} was found on the PATH`;
}

/** --norc: bash takes a standard input that is a socket for a remote shell, and would read ~/.bashrc. */
const shellOptions: Readonly<Record<string, readonly string[]>> = {
  bash: ["--norc", "-c"],
  sh: ["-c"],
  pwsh: ["-NoProfile", "-Command"],
  powershell: ["-NoProfile", "-Command"],
};

/** No shell fills in these variables where there is none. Only those that hooks are given: `$` in an argument is otherwise just a sign. */
const filled = (argument: string, environment: Environment, conventions: AgentConventions | undefined): string =>
  argument.replace(/\$\{([A-Z]+_\w+)\}/g, (written, name: string) => {
    const isGiven = name.startsWith("HOOKLINE_") || conventions?.kindOf(name) === "given";
    return (isGiven ? environment[name] : undefined) ?? written;
  });

/** Looks programs up on the PATH, each once: a shell does not move while we run. */
export function createFinder(): Find {
  const found = new Map<string, string | undefined>();
  return (name, path) => {
    const key = `${name}\0${path}`;
    if (!found.has(key)) found.set(key, findProgram(name, path));
    return found.get(key);
  };
}

const findProgram = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, process.platform === "win32" ? `${name}.exe` : name))
    .find(isExecutable);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not here, or not for us
  }
}
