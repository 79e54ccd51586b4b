/**
 * Whether one command of a shell line is what a pattern such as `git push --force *` means. By letter, for rules that allow: the
 * words as they stand. By meaning, for rules that deny and ask: options in any order and spelling. Apart from pattern.ts, which
 * judges whole calls of tools.
 */

/** An option of a command, by its name without dashes, the longest that it has. */
export interface SpelledOption {
  name: string;
  /** Its other names, or those that it may be short for. */
  also?: readonly string[];
  value?: string;
  /** Its program is not known to take it. */
  isStrange?: true;
}

/** What the words of one command mean to its program. */
export interface Spelling {
  /** Without folders. */
  program: string;
  /** Such as `push`, or `compose up`. */
  subcommand?: string;
  options: readonly SpelledOption[];
  /** In order. Where it runs another program, its name and operands are among them, and its options are called `rm force`. */
  operands: readonly string[];
  /** How many operands stand before `--`, if that is there. */
  end?: number;
  /** Whose options may stand in words that only the shell will know: "" is the program itself, `rm ` one that it runs. */
  hidden: readonly string[];
  /** What else the words may mean, where it is not known whether an option takes the next word for its value. */
  otherwise?: Spelling;
}

type Spell = (words: readonly string[]) => Spelling;

/** "unknown": what only the shell will know could make it match. */
export type Answer = boolean | "unknown";
/** @param command its words, the program first. Never throws */
export type CommandTest = (command: readonly string[]) => Answer;

interface CommandPattern {
  byLetter: CommandTest;
  /** Whatever matches by letter matches by meaning, and is unknown at least where it is by letter. */
  byMeaning: CommandTest;
}

/**
 * Stands in a word for text that only the shell will know: a variable, a substitution. Twice in a row where the shell
 * may also split it into several words or none. No word of a real command can hold it.
 */
export const unknownText = "\0";
/** Between words, so that a blank inside a quoted argument is no border of words. */
const border = "\u0001";
export const star = "\u0002";
export const escapedStar = "\u0003";

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/**
 * `git:*` and `git *`: the program and any operands. `git commit:*`: these words first. `npm run test`: exactly these.
 * `git * --force`: `*` is any text, over word borders too.
 */
export function compileCommandPattern(source: string, spell?: Spell): CommandPattern {
  const trimmed = source.trim();
  const isOpen = /(:\*|\s\*)$/.test(trimmed);
  const words = splitWords(isOpen ? trimmed.slice(0, -2) : trimmed);
  const [program] = words;
  if (program === undefined) return { byLetter: () => true, byMeaning: () => true };
  const byLetter = compileLetters(words, isOpen);
  if (!spell) return { byLetter, byMeaning: byLetter };
  const compareMeaning = compileMeaning([program, ...words.slice(1)], isOpen, spell);
  return {
    byLetter,
    byMeaning(command) {
      const letter = byLetter(command);
      return letter === true ? true : compareMeaning(command) || letter;
    },
  };
}

function compileLetters(words: readonly string[], isOpen: boolean): CommandTest {
  const byPath = words[0]?.includes("/") ?? false;
  const pieces = piecesOf(words, isOpen);
  return (command) => {
    const [program = "", ...operands] = command;
    const text = textOf([byPath ? program : baseName(program), ...operands]);
    if (matches(pieces, text)) return true;
    return mayMatch(pieces, text) ? "unknown" : false;
  };
}

/** A border after the last word: "git commit" is no prefix of "git commit-tree". */
const textOf = (words: readonly string[]): string => `${words.join(border)}${border}`;

function piecesOf(words: readonly string[], isOpen: boolean): string[] {
  const texts = textOf(words).split(star).map(plain);
  return isOpen ? [...texts, ""] : texts;
}

const plain = (text: string): string => text.replaceAll(escapedStar, "*");

/** Words of the pattern; quotes hold one together, and `\*` is a star itself. */
export function splitWords(source: string): string[] {
  const found = source.match(/"[^"]*"|'[^']*'|(?:\\.|[^\s\\])+|\\/g) ?? [];
  return found.map((word) =>
    (/^(["']).*\1$/s.test(word) && word.length > 1 ? word.slice(1, -1) : word)
      .replaceAll("\\*", escapedStar)
      .replaceAll("*", star),
  );
}

/** Texts in order, any text between them. */
export function matches(pieces: readonly string[], text: string): boolean {
  const [first = ""] = pieces;
  if (pieces.length === 1) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    at = text.indexOf(piece, at);
    if (at < 0) return false;
    at += piece.length;
  }
  const last = pieces.at(-1) ?? "";
  return text.length - last.length >= at && text.endsWith(last);
}

/**
 * What is unknown could make it match: in the place of the program or the sub-command, or where the pattern asks for an
 * option. An unknown operand is no reason to give up (SAFETY.md, D6).
 */
function mayMatch(pieces: readonly string[], text: string): boolean {
  const known = knownStart(pieces, text);
  if (known === undefined) return false;
  const [first = ""] = pieces;
  const early = known.split(border).length <= 2;
  const rest = known.length <= first.length ? [first.slice(known.length), ...pieces.slice(1)] : pieces.slice(1);
  return early || rest.some((piece, index) => (index === 0 && piece.startsWith("-")) || piece.includes(`${border}-`));
}

/** What stands before the first unknown text, if there is one and the pattern may begin so. */
function knownStart(pieces: readonly string[], text: string): string | undefined {
  const hole = text.indexOf(unknownText);
  if (hole < 0) return undefined;
  const known = text.slice(0, hole);
  const [first = ""] = pieces;
  const fits = known.length <= first.length ? first.startsWith(known) : pieces.length > 1 && known.startsWith(first);
  return fits ? known : undefined;
}

/** A pattern by its meaning. */
interface Meaning {
  /** The program, the sub-command and the operands, without options. */
  pieces: readonly string[];
  options: readonly Wanted[];
  /** It asks for `--` in its place. */
  hasEnd: boolean;
  isOpen: boolean;
}

interface Wanted {
  /** Whose it is: as in `hidden` of a spelling. */
  owner: string;
  isGiven(option: SpelledOption): boolean;
  /** What its value has to be; absent: any, or none. */
  hasValue?(value: string): boolean;
}

const mostPrograms = 64;

function compileMeaning(words: readonly [string, ...string[]], isOpen: boolean, spell: Spell): CommandTest {
  const [program, ...rest] = words;
  const byPath = program.includes("/");
  const holds = compileStars(program);
  // Where the pattern leaves the program open, its options are spelled as each command's program spells them.
  const meanings = new Map<string, Meaning>();
  const meaningFor = (name: string): Meaning => {
    const known = meanings.get(name);
    if (known) return known;
    const meaning = readMeaning(spell([name, ...rest]), byPath ? name : undefined, isOpen || endsOpen(words));
    if (meanings.size >= mostPrograms) meanings.clear();
    meanings.set(name, meaning);
    return meaning;
  };
  return (command) => {
    const [path = ""] = command;
    const name = byPath ? path : baseName(path);
    if (!holds(name)) return false;
    const meaning = meaningFor(name);
    const spelling = spell(command);
    const answer = compare(meaning, spelling, byPath ? path : undefined);
    return answer || mayMean(meaning, spelling.otherwise, byPath ? path : undefined);
  };
}

const endsOpen = (words: readonly string[]): boolean => words.at(-1)?.endsWith(star) ?? false;

function readMeaning(spelling: Spelling, path: string | undefined, isOpen: boolean): Meaning {
  const hasEnd = spelling.end !== undefined;
  const words = wordsOf(spelling, path, hasEnd);
  // `git * --force`: what the star leaves open before an option is open behind it, too.
  const isStarred = words.length > 1 && words.at(-1) === star;
  const own = isStarred ? words.slice(0, -1) : words;
  return {
    pieces: piecesOf(own, isOpen || isStarred),
    options: spelling.options.map(wantedOf),
    hasEnd,
    isOpen: isOpen || isStarred,
  };
}

function wordsOf(
  { program, subcommand, operands, end }: Spelling,
  path: string | undefined,
  withEnd: boolean,
): string[] {
  const own = withEnd && end !== undefined ? [...operands.slice(0, end), "--", ...operands.slice(end)] : operands;
  return [path ?? program, ...(subcommand === undefined ? [] : subcommand.split(" ")), ...own];
}

function wantedOf({ name, value }: SpelledOption): Wanted {
  const holds = compileStars(name);
  const owner = name.slice(0, name.lastIndexOf(" ") + 1);
  const wanted: Wanted = { owner, isGiven: (option) => holds(option.name) || (option.also?.some(holds) ?? false) };
  return value === undefined ? wanted : { ...wanted, hasValue: compileStars(value) };
}

function compileStars(source: string): (text: string) => boolean {
  const pieces = source.split(star).map(plain);
  return (text) => matches(pieces, text);
}

function compare(meaning: Meaning, spelling: Spelling, path: string | undefined): Answer {
  const { pieces, options, hasEnd, isOpen } = meaning;
  const words = wordsOf(spelling, path, hasEnd);
  const text = textOf(words);
  // Whose options they are is not known then.
  if (spelling.subcommand?.includes(unknownText)) return knownStart(pieces, text) === undefined ? false : "unknown";
  const answers = options.map((wanted) => giveOption(wanted, spelling));
  if (answers.includes(false)) return false;
  if (!isOpen && spelling.options.some((one) => one.isStrange && !options.some((wanted) => wanted.isGiven(one))))
    return false;
  const isSure = answers.every((answer) => answer === true);
  if (matches(pieces, text)) return isSure ? true : "unknown";
  if (isSure) return false; // an unknown operand is no reason to give up
  const known = words.filter((word) => !mayHide(word));
  return matches(pieces, textOf(known)) || knownStart(pieces, text) !== undefined ? "unknown" : false;
}

function mayMean(meaning: Meaning, spelling: Spelling | undefined, path: string | undefined): Answer {
  for (let other = spelling; other; other = other.otherwise)
    if (compare(meaning, other, path) !== false) return "unknown";
  return false;
}

/** The word may be options, or vanish. */
const mayHide = (word: string): boolean => word.startsWith(unknownText) || word.includes(unknownText + unknownText);

function giveOption(wanted: Wanted, { options, hidden }: Spelling): Answer {
  let answer: Answer = hidden.includes(wanted.owner) ? "unknown" : false;
  for (const option of options) {
    if (!wanted.isGiven(option)) continue;
    if (!wanted.hasValue || (option.value !== undefined && wanted.hasValue(option.value))) return true;
    if (option.value?.includes(unknownText)) answer = "unknown";
  }
  return answer;
}
