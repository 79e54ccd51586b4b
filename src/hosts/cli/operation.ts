/** Operations as commands: `hookline task create …`. Which actions there are, and what they take, the table of operations says. */
import { nearest } from "../../engine/nearest.ts";
import { operations } from "../../operations/index.ts";
import type { Operation } from "../../operations/operation.ts";
import { type Chosen, type Command, globalFlags, usageError } from "./command.ts";
import { type Param, paramsOf, withoutSwitches } from "./operation-input.ts";

export interface Action {
  /** As people write it. */
  name: string;
  /** The operation's name. */
  full: string;
  operation: Operation<unknown>;
}

/** The actions of a group: `task` has those of all operations that are called `task_…`. */
export const actionsOf = (group: string): Action[] =>
  [...operations].flatMap(([full, operation]) =>
    full.startsWith(`${group}_`) ? [{ name: full.slice(group.length + 1).replaceAll("_", "-"), full, operation }] : [],
  );

/** @throws HooklineError usage */
export function chooseAction(group: string, given: readonly string[]): Chosen {
  const actions = actionsOf(group);
  const at = placeOfAction(given);
  const written = given[at];
  const action = actions.find(({ name }) => name === written);
  if (action) {
    const params = paramsOf(action.operation);
    return {
      command: commandOf(group, action, params),
      rest: withoutSwitches(params, [...given.slice(0, at), ...given.slice(at + 1)]),
    };
  }
  const names = actions.map(({ name }) => name);
  const usage = `${group} ${names.join("|")} …`;
  if (written === undefined) throw usageError("the action is missing", usage);
  const near = nearest(written, names);
  throw usageError(
    `${group} has no action "${written}"${near === undefined ? "" : `: did you mean "${near}"?`}`,
    usage,
  );
}

/** Flags that hold everywhere may stand before it. */
function placeOfAction(given: readonly string[]): number {
  let index = 0;
  for (let word = given[0]; word?.startsWith("-"); word = given[index]) {
    const flag = globalFlags[word.replace(/^--/, "")];
    index += flag?.type === "string" ? 2 : 1;
  }
  return index;
}

export function commandOf(group: string, { name, full, operation }: Action, params: readonly Param[]): Command {
  const words = params.filter(({ isWord }) => isWord);
  const usage = usageOf(`${group} ${name}`, params);
  return {
    summary: operation.summary,
    usage,
    example: operation.example ?? `hookline ${group} ${name}${words.map(({ title }) => ` ${title}`).join("")}`,
    flags: Object.fromEntries(params.map(({ flag, isList }) => [flag, { type: "string", multiple: isList }])),
    words: words.at(-1)?.isList ? 1000 : words.length,
    load: async () => (await import("./operation-run.ts")).runOperation({ group, full, operation, params, usage }),
  };
}

/** For messages: what has to be there, and a few flags; help shows all. */
function usageOf(start: string, params: readonly Param[]): string {
  const free = params.filter(({ isWord, isNeeded }) => !isWord && !isNeeded);
  if (free.length <= fewFlags) return [start, ...params.map(shownInUsage), "[--json]"].join(" ");
  const shown = params.filter(({ isWord, isNeeded }) => isWord || isNeeded);
  return [start, ...shown.map(shownInUsage), "[flags], which --help shows"].join(" ");
}
const fewFlags = 4;

function shownInUsage({ flag, title, isWord, isList, isNeeded, isSwitch }: Param): string {
  const text = isWord ? title : isSwitch ? `--${flag}` : `--${flag} ${title}`;
  return `${isNeeded ? text : `[${text}]`}${isList ? "…" : ""}`;
}

/** What `--help` prints: of a group its actions, of an action what it takes. */
export function helpOf(group: string, summary: string, given: readonly string[]): string {
  const actions = actionsOf(group);
  const written = given.find((word) => actions.some(({ name }) => name === word));
  const action = actions.find(({ name }) => name === written);
  return action ? helpOfAction(group, action) : helpOfGroup(group, summary, actions);
}

function helpOfGroup(group: string, summary: string, actions: readonly Action[]): string {
  const width = Math.max(0, ...actions.map(({ name }) => name.length));
  const rows = actions.map(({ name, operation }) => `  ${name.padEnd(width)}  ${operation.summary}`);
  const [first] = actions;
  const example = first ? commandOf(group, first, paramsOf(first.operation)).example : `hookline ${group}`;
  return `${sentence(summary)}

usage:   hookline ${group} ACTION …
example: ${example}

${rows.join("\n")}

hookline ${group} ACTION --help says what an action takes.
`;
}

function helpOfAction(group: string, action: Action): string {
  const params = paramsOf(action.operation);
  const { summary, usage, example } = commandOf(group, action, params);
  const named = params.map((param): [string, Param] => [
    param.isWord ? param.title : param.isSwitch ? `--[no-]${param.flag}` : `--${param.flag} ${param.title}`,
    param,
  ]);
  const width = Math.max(0, ...named.map(([name]) => name.length));
  const rows = named.map(([name, { description }]) => `  ${name.padEnd(width)}  ${description}`.trimEnd());
  const takes = rows.length > 0 ? `\n${rows.join("\n")}\n` : "";
  const files = params.some(({ isLong }) => isLong)
    ? "\nFor text, objects and lists: @FILE is what the file holds, - what standard input holds.\n"
    : "";
  return `${summary}\n\nusage:   hookline ${usage}\nexample: ${example}\n${takes}${files}`;
}

const sentence = (summary: string): string => `${summary[0]?.toUpperCase()}${summary.slice(1)}.`;
