/** From a hook's command to the program that is started: bash where there is one, else sh, or the program itself (R15). */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

export interface CommandWish {
  command: string;
  args?: string[];
  shell?: "bash" | "sh" | "powershell";
}
export interface Line {
  program: string;
  args: string[];
}

type Environment = Readonly<Record<string, string>>;
type Find = (name: string, path: string) => string | undefined;

/** The program and its arguments, or a sentence why there is none. */
export function lineOf(wish: CommandWish, environment: Environment, find: Find): Line | string {
  const { command, args, shell } = wish;
  if (args) return { program: fill(command, environment), args: args.map((one) => fill(one, environment)) };
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

/** No shell fills in these variables where there is none. Only ours: `$` in an argument is otherwise just a sign. */
const fill = (argument: string, environment: Environment): string =>
  argument.replace(/\$\{((?:CLAUDE|HOOKLINE|GEN)_\w+)\}/g, (written, name: string) => environment[name] ?? written);

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
