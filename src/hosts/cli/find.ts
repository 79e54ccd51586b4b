/** Which command some words mean: one of the command line's own, or a row of the operations. */
import { nearest } from "../../engine/nearest.ts";
import { behindGlobalFlags, type Command, usageError } from "./command.ts";
import { commands, groups } from "./commands.ts";

export interface FoundCommand {
  command: Command;
  /** The words behind its name. */
  rest: readonly string[];
}

/** By their names: `runs`, `runs show`. The table of operations is loaded for it. */
export async function everyCommand(): Promise<ReadonlyMap<string, Command>> {
  const { rowCommands } = await import("./operations/rows.ts");
  return new Map([...rowCommands(), ...Object.entries(commands)]);
}

/** The names that stand first, with what each is about. */
export const firstNames = (all: ReadonlyMap<string, Command>): Map<string, string> =>
  new Map([
    ...Object.entries(groups),
    ...[...all].flatMap(([name, { summary }]) => (name.includes(" ") ? [] : [[name, summary] as const])),
  ]);

/** What can follow a name: the actions of a group. */
export const actionsOf = (all: ReadonlyMap<string, Command>, name: string): [action: string, command: Command][] =>
  [...all].flatMap(([path, command]) => (path.startsWith(`${name} `) ? [[path.slice(name.length + 1), command]] : []));

/** Undefined: none is called so. @throws HooklineError usage, for an action that there is not */
export async function commandFor(name: string, given: readonly string[]): Promise<FoundCommand | undefined> {
  if (name.includes(" ")) return undefined; // "automation fire" in one word: what refuses agents looks at words
  if (Object.hasOwn(commands, name) && commands[name]) return { command: commands[name], rest: given };
  const all = await everyCommand();
  const own = all.get(name);
  const actions = new Map(actionsOf(all, name));
  if (!own && actions.size === 0) return undefined;
  const at = behindGlobalFlags(given)?.at ?? given.length; // behind another flag there is no action
  const written = given[at];
  const action = written === undefined ? undefined : actions.get(written);
  if (action) return { command: action, rest: [...given.slice(0, at), ...given.slice(at + 1)] };
  if (own && (actions.size === 0 || own.words > 0 || written === undefined || written.startsWith("-")))
    return { command: own, rest: given };
  throw noAction(name, written, [...actions.keys()]);
}

function noAction(name: string, written: string | undefined, actions: readonly string[]): Error {
  const usage = `${name} ${actions.join("|")} …`;
  if (written === undefined) return usageError("missing action", usage);
  const near = nearest(written, actions);
  const meant =
    near !== undefined ? `did you mean "${near}"?` : actions.includes("show") ? `to see one, use show ${written}` : "";
  return usageError(`${name} has no action "${written}"${meant === "" ? "" : `: ${meant}`}`, usage);
}
