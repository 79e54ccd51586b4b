/**
 * Operations as commands: `hookline task create …`. The table of operations says which actions there are and what they
 * take.
 */
import type { Fields, Json } from "../../../engine/event.ts";
import { nearest } from "../../../engine/nearest.ts";
import { isRecord } from "../../../engine/schema.ts";
import { isSwitch, itemsOf, kindsOf, readValue, takesList } from "../../../operations/from-text.ts";
import { operations } from "../../../operations/index.ts";
import type { Operation } from "../../../operations/operation.ts";
import {
  type Chosen,
  type Command,
  globalFlags,
  type Invocation,
  textOfFile,
  textOfInput,
  textsFlag,
  usageError,
} from "../command.ts";
import type { Help } from "../help.ts";

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

type OwnActions = Readonly<Record<string, Command>>;

/**
 * @param own actions of the group that are no operations
 * @throws HooklineError usage
 */
export function chooseAction(group: string, given: readonly string[], own: OwnActions = {}): Chosen {
  const actions = actionsOf(group);
  const at = placeOfAction(given);
  const written = given[at];
  const ownAction = written !== undefined && Object.hasOwn(own, written) ? own[written] : undefined;
  if (ownAction) return { command: ownAction, rest: [...given.slice(0, at), ...given.slice(at + 1)] };
  const action = actions.find(({ name }) => name === written);
  if (action) {
    const params = paramsOf(action.operation);
    return {
      command: commandOf(group, action, params),
      rest: withoutSwitches(params, [...given.slice(0, at), ...given.slice(at + 1)]),
    };
  }
  const names = [...actions.map(({ name }) => name), ...Object.keys(own)];
  const usage = `${group} ${names.join("|")} …`;
  if (written === undefined) throw usageError("missing action", usage);
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
    load: async () => (await import("./run.ts")).runOperation({ group, full, operation, params, usage }),
  };
}

/** For messages: what has to be there, and a few flags; help shows all. */
function usageOf(start: string, params: readonly Param[]): string {
  const free = params.filter(({ isWord, isNeeded }) => !isWord && !isNeeded);
  if (free.length <= fewFlags) return [start, ...params.map(shownInUsage), "[--json]"].join(" ");
  const shown = params.filter(({ isWord, isNeeded }) => isWord || isNeeded);
  return [start, ...shown.map(shownInUsage), "[flags: see --help]"].join(" ");
}
const fewFlags = 4;

function shownInUsage({ flag, title, isWord, isList, isNeeded, isSwitch }: Param): string {
  const text = isWord ? title : isSwitch ? `--${flag}` : `--${flag} ${title}`;
  return `${isNeeded ? text : `[${text}]`}${isList ? "…" : ""}`;
}

interface Group {
  name: string;
  summary: string;
  own: OwnActions;
}

/** What `--help` prints: of a group its actions, of an action what it takes. */
export function helpOf(group: Group, given: readonly string[]): Help {
  const actions = actionsOf(group.name);
  const written = given.find((word) => actions.some(({ name }) => name === word));
  const action = actions.find(({ name }) => name === written);
  return action ? helpOfAction(group.name, action) : helpOfGroup(group, actions);
}

function helpOfGroup({ name: group, summary, own }: Group, actions: readonly Action[]): Help {
  const all = [
    ...actions.map(({ name, operation }) => [name, operation.summary] as const),
    ...Object.entries(own).map(([name, action]) => [name, sentence(action.summary)] as const),
  ];
  const [first] = actions;
  const example = first ? commandOf(group, first, paramsOf(first.operation)).example : `hookline ${group}`;
  return {
    summary: sentence(summary),
    usage: `${group} ACTION …`,
    example,
    rows: all,
    more: `What an action takes: hookline ${group} ACTION --help`,
  };
}

function helpOfAction(group: string, action: Action): Help {
  const params = paramsOf(action.operation);
  const { summary, usage, example } = commandOf(group, action, params);
  const rows = params.map((param): [string, string] => [
    param.isWord ? param.title : param.isSwitch ? `--[no-]${param.flag}` : `--${param.flag} ${param.title}`,
    param.description,
  ]);
  const takesFiles = params.some(({ isLong }) => isLong);
  const more = takesFiles ? "For text, objects and lists: @FILE reads the file, - reads standard input." : undefined;
  return { summary, usage, example, rows, ...(more === undefined ? {} : { more }) };
}

const sentence = (summary: string): string => `${summary[0]?.toUpperCase()}${summary.slice(1)}.`;

// The parameters of an operation as arguments and flags, and the input that they make.

export interface Param {
  /** In the input. */
  name: string;
  /** On the command line, without its dashes. */
  flag: string;
  /** What stands for its value in a usage. */
  title: string;
  description: string;
  schema: unknown;
  isWord: boolean;
  isNeeded: boolean;
  isSwitch: boolean;
  /** Its flag may be given more than once. */
  isList: boolean;
  /** Its value may come from a file. */
  isLong: boolean;
}

export function paramsOf({ params, words = [] }: Pick<Operation<unknown>, "params" | "words">): Param[] {
  const { properties, required } = params.json;
  const all = isRecord(properties) ? properties : {};
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = [...words, ...Object.keys(all).filter((name) => !words.includes(name))];
  return names.map((name) => {
    const schema = all[name];
    const isWord = words.includes(name);
    const kinds = kindsOf(schema);
    return {
      name,
      flag: name.replaceAll("_", "-"),
      title: isWord ? name.toUpperCase().replaceAll("_", "-") : titleOf(schema),
      description: describe(schema),
      schema,
      isWord,
      isNeeded: needed.has(name),
      isSwitch: isSwitch(schema),
      isList: takesList(schema) && !kinds.has("object"),
      isLong: !isChoice(schema) && ["string", "object", "array"].some((kind) => kinds.has(kind as "string")), // a list of literals
    };
  });
}

function titleOf(schema: unknown): string {
  if (isRecord(schema) && Array.isArray(schema.enum)) return schema.enum.join("|");
  const kinds = kindsOf(schema);
  if (kinds.has("object") || (takesList(schema) && kindsOf(itemsOf(schema)).has("object"))) return "JSON";
  if (kinds.has("string") || kinds.has("array")) return "TEXT";
  return kinds.has("integer") || kinds.has("number") ? "N" : "VALUE";
}

const isChoice = (schema: unknown): boolean => isRecord(schema) && Array.isArray(schema.enum);

function describe(schema: unknown): string {
  if (!isRecord(schema)) return "";
  const { description = "", default: value } = schema;
  const isEmpty = value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
  return [String(description), isEmpty ? "" : `default: ${JSON.stringify(value)}`]
    .filter((text) => text !== "")
    .join("; ");
}

/** `--enabled`, `--no-enabled`, `--enabled false` and `--enabled=false` all as the last; values that begin with a dash stay values. */
function withoutSwitches(params: readonly Param[], given: readonly string[]): string[] {
  const known = new Map(params.map((param) => [param.flag, param]));
  const words: string[] = [];
  for (let index = 0; index < given.length; index++) {
    const word = given[index] ?? "";
    const next = given[index + 1];
    if (word === "--") return [...words, ...given.slice(index)];
    const name = word.replace(/^--(no-)?/, "");
    const flag = word.startsWith("--") ? known.get(name) : undefined;
    const value = flag && valueBehind(flag, word === `--no-${name}` ? "false" : next, known);
    words.push(value === undefined ? word : `--${name}=${value}`);
    if (value !== undefined && value === next) index += 1;
  }
  return words;
}

/** What a flag is given with the next word; undefined: the parser sees it too. */
function valueBehind(
  { isSwitch: is }: Param,
  next: string | undefined,
  known: ReadonlyMap<string, Param>,
): string | undefined {
  if (is) return next === "true" || next === "false" || next === "null" ? next : "true";
  const isFlag = (word: string): boolean => {
    const name = word.replace(/^--?(no-)?/, "").split("=", 1)[0] ?? "";
    return word.startsWith("--") && (known.has(name) || Object.hasOwn(globalFlags, name));
  };
  return next?.startsWith("-") && next !== "-" && next !== "--" && !isFlag(next) ? next : undefined;
}

/** @throws HooklineError usage, file_unreadable */
export function inputOf(params: readonly Param[], invocation: Invocation): Fields {
  const input: Fields = {};
  const words = [...invocation.words];
  const read = reader(invocation);
  for (const param of params) {
    const flags = textsFlag(invocation.flags, param.flag);
    if (flags.length > 0) input[param.name] = valueFrom(param, flags, { ...invocation, read });
    else if (param.isWord) {
      const own = takeWords(param, words); // a word is what it says, whatever it begins with
      if (own.length > 0) input[param.name] = valueFrom(param, own, { ...invocation, read: (text) => text });
    }
  }
  const [left] = words;
  if (left !== undefined) throw usageError(`unexpected argument "${left}"`, invocation.usage);
  return input;
}

function takeWords({ isList }: Param, words: string[]): string[] {
  if (isList) return words.splice(0);
  const word = words.shift();
  return word === undefined ? [] : [word];
}

function valueFrom(
  { flag, schema, isLong }: Param,
  texts: readonly string[],
  { usage, read }: Invocation & { read(text: string, where: string): string },
): Json {
  const values = texts.map((text) => {
    try {
      return readValue(isLong ? read(text, `--${flag}`) : text, schema);
    } catch (error) {
      if (error instanceof SyntaxError) throw usageError(`--${flag} is not JSON: ${error.message}`, usage);
      throw error;
    }
  });
  const [first = null, ...others] = values;
  return others.length > 0 ? values.flat() : first; // alone it is a list where one is needed
}

/** `@FILE` and `-` stand for what a file holds; `@@` begins a text with an @. Standard input can be read once. */
function reader({ cwd, usage }: Invocation): (text: string, where: string) => string {
  let readBy: string | undefined;
  return (text, where) => {
    if (text.startsWith("@@")) return text.slice(1);
    if (text === "-") {
      if (readBy !== undefined) throw usageError(`standard input cannot be both ${readBy} and ${where}`, usage);
      readBy = where;
      return textOfInput();
    }
    return text.startsWith("@") ? textOfFile(text.slice(1), cwd) : text;
  };
}
