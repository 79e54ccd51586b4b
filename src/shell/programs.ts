/** What is known of programs: the rows of their table, by name. */
import { table as data } from "./program-table.ts";

/** Options in one text, as program-table.ts has them. */
export type OptionText = string;

export interface Program {
  /** Its own options. */
  options?: OptionText;
  /** Not all of its options are here: where it is compared with a pattern, they are compared word by word. */
  isPartly?: true;
  /**
   * getopt (where nothing is said): `-abc` is three options, long names may be shortened. exact: long names are whole, and `-x=value` has
   * a value. flags: a single dash before a long name, as Go's flags, find and Java read it.
   */
  reads?: "exact" | "flags";
  /** Its first operand is a sub-command; the options of those that have some. `compose up` is a sub-command of two words. */
  subcommands?: { readonly [path: string]: OptionText };
  /** The program's own options stand before the sub-command alone: after it, their letters may mean others. */
  isOwnFirst?: true;
  /** Other names of sub-commands. */
  aliases?: { readonly [path: string]: string };
  /** All sub-commands, where they may be shortened. */
  shortened?: OptionText;
  /** After so many operands stands another program, whose options are its own: timeout's duration. */
  runs?: number | { readonly [subcommand: string]: number };
  /** Its own options may stand after those operands, too: `ssh HOST -p 22 ls`. */
  isMixed?: true;
  /** NAME=VALUE is an option, and may stand before the program. */
  assignments?: true;
  /** The first word needs no dash before its letters. */
  isBundled?: true;
  /** `-9` and `-KILL` are signals. */
  signals?: true;
  /** Its options may begin with a plus. */
  plus?: true;
  /** It runs what its operands name. */
  wraps?: true;
  /** Its words, joined, are a shell line: watch. */
  line?: true;
  /** Each of its operands is a shell line: concurrently. */
  lines?: true;
  /** Options may follow operands, and its operands are no command: su. */
  permutes?: true;
  /** The option with the folder that the program runs in. */
  folder?: string;
  /** The shell itself runs the program, without functions and aliases of that name. */
  isBuiltin?: true;
  /** Where `--` stands, the program begins behind it: before it are names of versions. */
  dashes?: true;
  /** Sub-commands after which the program stands; any other one runs nothing of ours. */
  after?: readonly string[];
  /** Its language is the one that is read here. */
  isShell?: true;
  /** It runs one of the words it is given, and nothing here tells which. */
  isOpaque?: true;
  /** Its own commands can run programs. */
  isEditor?: true;
  /** The options of an interpreter that hold code. */
  code?: Code;
  /**
   * In a line with values. refused: it is not taken at all, as what runs others is where nothing else is said. script: it runs a file that is
   * named literally, and gives it its arguments and its input. tasks: it runs what files of the project say, and may make a shell's line of its
   * arguments, so those are all literal. runner: the program that it names is judged. literal: its arguments are. data: none of its
   * arguments is an option that could do harm. Absent: others take values.
   */
  values?: Values;
  /** In a line with values only these sub-commands are known to run nothing that they are given. */
  valuesIn?: ReadonlySet<string>;
}

/** Letters that may end a bundle (`perl -lane`), whole options, letters with a value. */
export interface Code {
  letters: string;
  long: readonly string[];
  valued: string;
  /** What stands behind its code is data. */
  ends?: true;
  /** Options may follow operands. */
  permutes?: true;
}

const values = ["refused", "script", "tasks", "runner", "literal", "data"] as const;
type Values = (typeof values)[number];

type Row = { -readonly [K in keyof Program]: Program[K] };

const marks = {
  partly: "isPartly",
  "own-first": "isOwnFirst",
  mixed: "isMixed",
  assignments: "assignments",
  bundled: "isBundled",
  signals: "signals",
  plus: "plus",
  wraps: "wraps",
  line: "line",
  lines: "lines",
  permutes: "permutes",
  builtin: "isBuiltin",
  dashes: "dashes",
  shell: "isShell",
  opaque: "isOpaque",
  editor: "isEditor",
} as const;
const isMark = (word: string): word is keyof typeof marks => Object.hasOwn(marks, word);

/** What stands behind the sign of equality in a word of the second column. */
const fields: ReadonlyMap<string, (row: Row, value: string) => void> = new Map(
  Object.entries<(row: Row, value: string) => void>({
    runs(row, value) {
      row.runs = Number(value);
    },
    after(row, value) {
      row.after = value.split(",");
    },
    folder(row, value) {
      row.folder = value;
    },
    code(row, value) {
      const [letters = "", ...long] = value.split(",");
      row.code = { letters, long, valued: "" };
    },
    valued(row, value) {
      if (!row.code) throw new Error(`valued=${value} has no code before it`);
      row.code = { ...row.code, valued: value };
    },
    values(row, value) {
      const meant = values.find((one) => one === value);
      if (!meant || row.values) throw new Error(`values=${value} is unknown, or the program has values already`);
      row.values = meant;
    },
    "values-in"(row, value) {
      row.valuesIn = new Set(value.split(","));
    },
  }),
);

function addHow(row: Row, how: string): void {
  for (const word of how.split(" ")) {
    const equals = word.indexOf("=");
    const field = equals > 0 ? fields.get(word.slice(0, equals)) : undefined;
    if (field) field(row, word.slice(equals + 1));
    else if (word === "exact" || word === "flags") row.reads = word;
    else if (word === "subcommands") row.subcommands = {};
    else if (row.code && (word === "ends" || word === "permutes")) row.code = { ...row.code, [word]: true };
    else if (isMark(word)) row[marks[word]] = true;
    else if (word !== "") throw new Error(`${word} says nothing of a program in program-table.ts`);
  }
}

const lines: readonly string[] = data.trim().split("\n");
const texts = new Map<string, string>();
const filled = (text: string): string => text.replace(/\$(\w+)/g, (_, name: string) => texts.get(name) ?? "");

/** Where the lines of each name stand. */
const places: ReadonlyMap<string, readonly number[]> = findLines();

function findLines(): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const [, text, meaning = ""] = line.startsWith("$") ? (/^\$(\w+): (.*)$/.exec(line) ?? []) : [];
    if (text !== undefined) texts.set(text, filled(meaning));
    else if (!line.startsWith(" ") && !line.startsWith("# "))
      for (const name of line.slice(0, line.indexOf(" |")).split(" ")) {
        const before = found.get(name);
        if (before) before.push(at);
        else found.set(name, [at]);
      }
  }
  return found;
}

/** A row is made when it is first asked for: a process asks for few. Programs with the same lines share one. */
const rows = new Map<string, Program>();

function rowAt(own: readonly number[]): Program {
  const key = own.join(" ");
  const known = rows.get(key);
  if (known) return known;
  const row: Row = {};
  for (const at of own) {
    const [, how = "", options] = (lines[at] ?? "").split("|").map((part) => part.trim());
    addHow(row, how);
    if (options !== undefined) row.options = filled(options);
    for (let below = at + 1; lines[below]?.startsWith(" "); below++) addTo(row, lines[below]?.slice(1) ?? "");
  }
  if (row.wraps) row.values ??= "refused";
  rows.set(key, row);
  return row;
}

/** One of the lines below that of its programs. */
function addTo(row: Row, line: string): void {
  const rest = line.slice(2);
  if (line.startsWith("~ ")) row.shortened = rest;
  else if (line.startsWith("> "))
    row.runs = Object.fromEntries(
      rest.split(", ").map((one) => [one.slice(0, one.indexOf("=")), Number(one.slice(one.indexOf("=") + 1))]),
    );
  else if (line.startsWith("= "))
    row.aliases = Object.fromEntries(
      rest.split("; ").flatMap((one) => {
        const [name = "", others = ""] = one.split(": ");
        return others.split(", ").map((other) => [other, name]);
      }),
    );
  else {
    const [, name = "", options = ""] = /^(.*?):(?: (.*))?$/.exec(line) ?? [];
    row.subcommands = { ...row.subcommands, [name]: filled(options) };
  }
}

const unlisted: Program = {};

export const programNames = (): readonly string[] => [...places.keys()];

/** @param name as files are called, without folders and versions */
export function programOf(name: string): Program {
  const own = places.get(name);
  return own ? rowAt(own) : unlisted;
}

/** Whether all of its options are here. */
export const hasOptions = ({ isPartly, options, subcommands }: Program): boolean =>
  isPartly === undefined && (options ?? subcommands) !== undefined;

/** Nothing in it is a folder, a version or an ending: most programs are called so. */
const plainName = /^[a-z_-]*$/;

/** The name by which the table knows a program: python3.13 is python. */
export function nameOf(path: string): string {
  if (plainName.test(path)) return path;
  const name = path
    .slice(path.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, "");
  return name.replace(/(?<=[a-z])@.*$/, "").replace(/(?<=[a-z])[-.]?\d[\d.]*$/, "");
}

export const words = (line: string): ReadonlySet<string> => new Set(line.split(" "));
