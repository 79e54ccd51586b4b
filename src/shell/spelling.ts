/**
 * What the words of one command mean to its program: the options by one name each, whatever their order and spelling, and the
 * operands in order. Apart from the reader of lines, because it looks at one command alone; what programs take is in program-table.ts.
 */
import { baseName, type Spelling } from "../engine/command-pattern.ts";
import { isUnknown, mayVanish } from "./expand.ts";
import { lookUp, type Made, readBundle, readOption, type Table, tableOf, type Words } from "./option-words.ts";
import { hasOptions, nameOf, type Program, programOf } from "./programs.ts";

const noValues: ReadonlySet<number> = new Set();
/** Programs that run programs that run programs: no line that is meant so has more. */
const deepest = 16;

/** Reads commands. */
export function createSpell(): (words: readonly string[]) => Spelling {
  const read = (words: readonly string[], depth: number): Spelling => {
    const path = words[0] ?? "";
    const row = depth > deepest ? undefined : (rowOf(baseName(path)) ?? rowOf(nameOf(path)));
    if (!row) {
      const spelling = readPlain(words, false);
      // Where no option stands before a word, both readings are one.
      return words.some(mayTake) ? { ...spelling, otherwise: readPlain(words, true) } : spelling;
    }
    const spell = (inner: readonly string[]): Spelling => read(inner, depth + 1);
    return readWords(words, row, { tableOf: (subcommand) => tableOf(row, subcommand), spell, values: noValues });
  };
  return (words) => read(words, 0);
}

function rowOf(name: string): Program | undefined {
  const row = programOf(name);
  return hasOptions(row) ? row : undefined;
}

interface Tools {
  tableOf(subcommand: string | undefined): Table;
  spell(words: readonly string[]): Spelling;
  /** Words, by index, that are taken for values of options which the table does not know. */
  values: ReadonlySet<number>;
}

/** So many options that no table knows are read in both ways. */
const mostValues = 4;

/**
 * A program that no table knows: its options are the words with dashes, exactly as they stand.
 *
 * @param takesValues whether the word behind an option is its value
 */
function readPlain([path = "", ...rest]: readonly string[], takesValues: boolean): Spelling {
  const made = begin(path);
  const end = rest.indexOf("--");
  const before = end < 0 ? rest : rest.slice(0, end);
  for (const [index, word] of before.entries()) {
    const isOption = isDashed(word);
    if (mayHold(word) || (isOption && isUnknown(word))) made.hidden.push("");
    if (isOption) made.options.push({ name: word, isStrange: true });
    else if (!takesValues || !mayTake(before[index - 1])) made.operands.push(word);
  }
  if (end < 0) return made;
  return { ...made, operands: [...made.operands, ...rest.slice(end + 1)], end: made.operands.length };
}

const isDashed = (word: string): boolean => word.length > 1 && word.startsWith("-") && word !== "--";
/** Whether the next word may be its value. */
const mayTake = (word: string | undefined): boolean => word !== undefined && isDashed(word) && !word.includes("=");

const begin = (path: string): Made => ({ program: baseName(path), options: [], operands: [], hidden: [] });

/** Whether options may stand in a word that is none as far as the line tells. */
const mayHold = (word: string): boolean => mayVanish(word) || (isUnknown(word) && /^-*\0/.test(word));

function readWords([path = "", ...rest]: readonly string[], row: Program, tools: Tools): Spelling {
  const { tableOf, spell, values } = tools;
  const made = begin(path);
  const place = createPlace(row);
  let table = tableOf(undefined);
  let at = 0;
  let otherwise: Spelling | undefined;
  const words: Words = {
    next() {
      const value = rest[at++];
      if (value !== undefined && mayVanish(value)) made.hidden.push("");
      return value;
    },
    putBack: (word) => void rest.splice(at, 0, word),
  };
  while (at < rest.length) {
    const word = rest[at] ?? "";
    if (values.has(at)) {
      at++;
      continue;
    }
    const isOption = isDashed(word) && made.end === undefined;
    const isAssignment = row.assignments === true && /^[\w-]+=/.test(word);
    if (place.isInner(isOption || isAssignment)) {
      if (word === "--") at++;
      addInner(made, spell(rest.slice(at)));
      break;
    }
    at++;
    if (isOption) {
      if (readOption(word, { table, made, words }) !== "program") continue;
      addInner(made, spell(rest.slice(at)));
      break;
    }
    if (word === "--" && made.end === undefined) made.end = made.operands.length;
    else if (row.isBundled && at === 1 && /^[A-Za-z]+$/.test(word)) readBundle(word, { table, made, words });
    else if (isAssignment) {
      const equals = word.indexOf("=");
      made.options.push({ name: word.slice(0, equals), value: word.slice(equals + 1) });
    } else {
      if (made.end === undefined && mayHold(word)) made.hidden.push("");
      // `docker --new-option x run`: where the table is too old, x may be no sub-command.
      if (place.isBefore() && mayTake(rest[at - 2]) && made.options.at(-1)?.isStrange && values.size < mostValues)
        otherwise ??= readWords([path, ...rest], row, { ...tools, values: new Set([...values, at - 1]) });
      if (place.take(word)) table = tableOf(place.subcommand());
      else made.operands.push(word);
    }
  }
  const subcommand = place.subcommand();
  if (subcommand !== undefined) made.subcommand = subcommand;
  if (otherwise) made.otherwise = otherwise;
  return made;
}

interface Place {
  /** Whether a sub-command, or a word of it, is still to come. */
  isBefore(): boolean;
  /** Whether this operand is the sub-command, or one of its words. */
  take(operand: string): boolean;
  subcommand(): string | undefined;
  /** Whether the words of another program begin here. */
  isInner(isOption: boolean): boolean;
}

/** How far the operands are: at the sub-command, its own operands, or the words of another program. */
function createPlace(row: Program): Place {
  let subcommand: string | undefined;
  let isComplete = row.subcommands === undefined;
  let count = 0;
  const before = (): number | undefined =>
    typeof row.runs !== "object" ? row.runs : isComplete ? lookUp(row.runs, subcommand ?? "") : undefined;
  return {
    take(operand) {
      if (isComplete) {
        count++;
        return false;
      }
      const path = subcommand === undefined ? operand : `${subcommand} ${operand}`;
      const name = lookUp(row.aliases ?? {}, path) ?? shortened(row, path);
      subcommand = name;
      isComplete = !beginsOf(row).has(name);
      return true;
    },
    isBefore: () => !isComplete,
    subcommand: () => subcommand,
    isInner: (isOption) => count === before() && !(isOption && (count === 0 || row.isMixed)),
  };
}

const begins = new Map<Program, ReadonlySet<string>>();

/** What sub-commands of more words begin with. */
function beginsOf(row: Program): ReadonlySet<string> {
  const known = begins.get(row);
  if (known) return known;
  const made = new Set<string>();
  for (const path of Object.keys(row.subcommands ?? {}))
    for (let at = path.indexOf(" "); at >= 0; at = path.indexOf(" ", at + 1)) made.add(path.slice(0, at));
  begins.set(row, made);
  return made;
}

function shortened({ shortened: names = "" }: Program, name: string): string {
  if (names === "") return name;
  const all = names.split(" ");
  const fits = all.includes(name) ? [] : all.filter((one) => one.startsWith(name));
  return fits.length === 1 ? (fits[0] ?? name) : name;
}

/** The words of the program that this one runs: its options are known by its name. */
function addInner(made: Made, inner: Spelling): void {
  const own = (name: string): string => `${inner.program} ${name}`;
  made.operands.push(inner.program, ...(inner.subcommand?.split(" ") ?? []), ...inner.operands);
  for (const option of inner.options)
    made.options.push({ ...option, name: own(option.name), ...(option.also ? { also: option.also.map(own) } : {}) });
  made.hidden.push(...inner.hidden.map(own));
}
