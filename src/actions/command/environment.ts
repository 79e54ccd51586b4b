/** The environment of a hook's program: what it inherits, what it never gets, and what Hookline adds (R44, C57a). */

import { dropOldest } from "../../engine/drop-oldest.ts";
import { depthBelow, depthVariable, type Fields, textField } from "../../engine/event.ts";
import type { AgentConventions, StepContext } from "../../engine/ports.ts";
import type { Command } from "../../engine/program.ts";
import { findOutside } from "../../files/paths.ts";
import { writtenName } from "./protocols/endings.ts";

type Environment = Record<string, string>;

export interface EnvironmentOptions {
  environment?: "inherit" | "clean";
  /** Whose variables it gets beside those that every program gets. */
  variables?: string;
  env?: Environment;
}

/** `environment: clean` (SAFETY D8): what a program needs to find others and to speak to a person, and nothing else. */
const isAllowed = (name: string): boolean => /^(PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR)$/.test(name);
/** A shell level above zero: bash at level zero reads ~/.bashrc when its standard input is a socket. */
const fixed: Environment = { TERM: "dumb", SHLVL: "1" };

export function environmentOf(wish: EnvironmentOptions, context: StepContext): Environment {
  const given = context.caller.environment;
  const { conventions } = context.ports; // without them it is unknown which variables are keys to a session
  const inherited =
    given && conventions && wish.environment !== "clean"
      ? pick(given, (name) => !conventions.isSessionSecret(name))
      : cleanEnvironment(given ?? process.env); // no sender: this process stands in for it
  return { ...inherited, ...wish.env, ...facts(wish, context, given) };
}

/** Files of a hook's program are for those whom the sender's own are for. */
export const umaskOf = ({ umask }: StepContext["caller"]): Pick<Command, "umask"> =>
  umask === undefined ? {} : { umask };

/** What every program may have of an environment. */
export const cleanEnvironment = (given: Readonly<Record<string, string | undefined>>): Environment => ({
  ...pick(given, isAllowed),
  ...fixed,
});

function pick(source: Readonly<Record<string, string | undefined>>, holds: (name: string) => boolean): Environment {
  const picked: Environment = {};
  for (const [name, value] of Object.entries(source)) if (value !== undefined && holds(name)) picked[name] = value;
  return picked;
}

function facts(
  { variables }: EnvironmentOptions,
  context: StepContext,
  given: StepContext["caller"]["environment"],
): Environment {
  const { event, hook, run, ports } = context;
  const project = projectFolder(context, given);
  const { session, sender } = event;
  const tool = toolName(event.data);
  const own = { PROJECT_DIR: project, SESSION_ID: session, TOOL_NAME: tool, EVENT: event.name };
  const known = { project, session, tool, event: writtenName(hook, event.name), plugin: hook.origin.plugin };
  return {
    ...prefixed("HOOKLINE", { ...own, RUN_ID: run, HOOK_ID: hook.id }),
    [depthVariable]: String(depthBelow(event, given ?? {})),
    ...ports.conventions?.variables({ ...known, sender, asked: variables }),
  };
}

const toolName = (data: Fields): string | undefined => textField(data, "tool_name");

/** The agent's word counts: the session may have moved into a folder below. */
export function projectFolder(
  { event, hook, ports }: StepContext,
  given: StepContext["caller"]["environment"],
): string {
  const said = given && ports.conventions?.projectFolder(given);
  if (said?.startsWith("/")) return said;
  return ownFolder(hook) ?? event.cwd;
}

/** The folder of a project's hook; a user's belongs to none. */
export const ownFolder = ({ origin: { layer, root } }: StepContext["hook"]): string | undefined =>
  layer === "project" || layer === "local" ? root : undefined;

function prefixed(prefix: string, values: Readonly<Record<string, string | undefined>>): Environment {
  const named: Environment = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) named[`${prefix}_${name}`] = value;
  return named;
}

// From a hook's command to the program that is started: bash where there is one, else sh, or the program itself
// (R15).

export interface CommandOptions {
  command: string;
  args?: string[];
  shell?: "bash" | "sh" | "powershell";
  /** Whose variables its arguments may name beside Hookline's. */
  conventions?: AgentConventions | undefined;
}
interface Line {
  program: string;
  args: string[];
}

type Variables = Readonly<Record<string, string>>;

/**
 * The program and its arguments, or a sentence why there is none. The shell is never one that the project brings: a person's own hooks
 * run in repositories that they do not trust.
 *
 * @param folder where the event happened
 */
export function lineOf(wish: CommandOptions, environment: Variables, folder: string): Line | string {
  const { command, args, shell, conventions } = wish;
  const fill = (argument: string): string => filled(argument, environment, conventions);
  if (args) return { program: fill(command), args: args.map(fill) };
  const names = shell === "powershell" ? ["pwsh", "powershell"] : shell === "sh" ? ["sh"] : ["bash", "sh"];
  const path = environment.PATH ?? process.env.PATH ?? "";
  for (const name of names) {
    const program = find(name, { PATH: path, HOME: environment.HOME ?? process.env.HOME ?? "" }, folder);
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
const filled = (argument: string, environment: Variables, conventions: AgentConventions | undefined): string =>
  argument.replace(/\$\{([A-Z]+_\w+)\}/g, (written, name: string) => {
    const isGiven = name.startsWith("HOOKLINE_") || conventions?.kindOf(name) === "given";
    return (isGiven ? environment[name] : undefined) ?? written;
  });

const found = new Map<string, string | undefined>();

/** Looks shells up on the PATH, each once: a shell does not move while we run. */
function find(name: string, place: { PATH: string; HOME: string }, folder: string): string | undefined {
  const key = `${name}\0${folder}\0${place.HOME}\0${place.PATH}`;
  if (!found.has(key)) {
    found.set(key, findOutside(name, place, folder));
    dropOldest(found, mostFound);
  }
  return found.get(key);
}
const mostFound = 256;
