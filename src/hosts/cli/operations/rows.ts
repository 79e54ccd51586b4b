/** Operations as commands: `hookline task create …`. A row says how its command is called and what it takes. */
import type { Fields, Json } from "../../../engine/event.ts";
import { eventNames } from "../../../engine/events.ts";
import { isRecord } from "../../../engine/schema.ts";
import { isSwitch, itemsOf, kindsOf, readValue, takesList } from "../../../operations/from-text.ts";
import { operations } from "../../../operations/index.ts";
import type { Operation } from "../../../operations/operation.ts";
import { runs } from "../../../operations/runs/runs.ts";
import { commandOf } from "../../../operations/serve.ts";
import {
  type Command,
  type Flag,
  globalFlags,
  type Invocation,
  seeHelp,
  textOfFile,
  textOfInput,
  textsFlag,
  usageError,
} from "../command.ts";
import { rerun, runHook } from "../hooks/run.ts";

type Row = Operation<unknown, unknown>;

/** Rows that only a person at a terminal asks, with what only this host can do. */
const ofTerminal: Readonly<Record<string, Row>> = { hook_run: runHook, rerun };

/** By the names of the commands. */
export function rowCommands(): Map<string, Command> {
  const rows: [string, Row][] = [...operations, ...Object.entries(ofTerminal)];
  const all = rows.map(([name, row]) => [commandOf(name, row), commandOfRow(name, row)] as const);
  return new Map([...all, ["runs tail", tail()]]);
}

/** It stays, so it is no operation; it takes what `runs` takes. */
const tail = (): Command => ({
  ...commandOfRow("runs tail", runs),
  summary: "follow runs: a line for each as it ends, until Ctrl-C",
  example: "hookline runs tail --status failed",
  load: async () => (await import("../runs/tail.ts")).tail,
});

function commandOfRow(name: string, row: Row): Command {
  const command = commandOf(name, row);
  const params = paramsOf(row);
  const words = params.filter(({ isWord }) => isWord);
  const usage = usageOf(command, params);
  const takesFiles = params.some(({ isLong }) => isLong);
  return {
    summary: row.summary,
    usage,
    example: row.example ?? [`hookline ${command}`, ...words.map(({ title }) => title)].join(" "),
    flags: Object.fromEntries(params.map((param) => [param.flag, flagOf(param)])),
    words: words.at(-1)?.isList ? 1000 : words.length,
    arguments: words.map(({ title, description }) => ({ title, does: description })),
    takes: async () => (words[0] ? choicesOf(words[0]) : []),
    ...(takesFiles ? { more: "For text, objects and lists: @FILE reads the file, - reads standard input." } : {}),
    prepared: (given) => withoutSwitches(params, given),
    load: async () => (await import("./run.ts")).runOperation({ name, row, params, usage }),
  };
}

const flagOf = (param: Param): Flag => ({
  type: "string",
  multiple: param.isList,
  does: param.description,
  ...(param.isSwitch ? { isOnOrOff: !isOffUnlessGiven(param) } : { title: param.title, takes: choicesOf(param) }),
});

const isOffUnlessGiven = ({ schema }: Param): boolean => isRecord(schema) && schema.default === false;

/** An event's name may be any that applications send, too. */
const choicesOf = ({ name, schema }: Param): readonly string[] =>
  isRecord(schema) && Array.isArray(schema.enum) ? schema.enum.map(String) : name === "event" ? eventNames : [];

/** For messages: what has to be there, and a few flags; help shows all. */
function usageOf(start: string, params: readonly Param[]): string {
  const free = params.filter(({ isWord, isNeeded }) => !isWord && !isNeeded);
  if (free.length <= fewFlags) return [start, ...params.map(shownInUsage), "[--json]"].join(" ");
  const shown = params.filter(({ isWord, isNeeded }) => isWord || isNeeded);
  return [start, ...shown.map(shownInUsage), seeHelp].join(" ");
}
const fewFlags = 4;

function shownInUsage({ flag, title, isWord, isList, isNeeded, isSwitch }: Param): string {
  const text = isWord ? title : isSwitch ? `--${flag}` : `--${flag} ${title}`;
  return `${isNeeded ? text : `[${text}]`}${isList ? "…" : ""}`;
}

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

export function paramsOf({ params, words = [] }: Pick<Row, "params" | "words">): Param[] {
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
      flag: name.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      title: isWord ? titled(name) : titleOf(name, schema),
      description: describe(schema),
      schema,
      isWord,
      isNeeded: needed.has(name),
      isSwitch: isSwitch(schema),
      isList: takesList(schema) && !kinds.has("object"),
      isLong: !isChoice(schema) && !isName(schema) && longKinds.some((kind) => kinds.has(kind)),
    };
  });
}

const titled = (name: string): string => name.toUpperCase().replaceAll("_", "-");

function titleOf(name: string, schema: unknown): string {
  if (isRecord(schema) && Array.isArray(schema.enum)) return schema.enum.join("|");
  const kinds = kindsOf(schema);
  if (kinds.has("object") || (takesList(schema) && kindsOf(itemsOf(schema)).has("object"))) return "JSON";
  if (kinds.has("string") || kinds.has("array")) return titled(name);
  return kinds.has("integer") || kinds.has("number") ? "N" : "VALUE";
}

const longKinds = ["string", "object", "array"] as const;

/** A word, such as the name of a hook: it is short, and whatever it begins with. */
const isName = (schema: unknown): boolean => isRecord(schema) && schema.minLength !== undefined;

const isChoice = (schema: unknown): boolean => isRecord(schema) && Array.isArray(schema.enum);

function describe(schema: unknown): string {
  if (!isRecord(schema)) return "";
  const { description = "", default: value } = schema;
  const isEmpty =
    [undefined, null, "", false].some((one) => one === value) || (Array.isArray(value) && value.length === 0);
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
