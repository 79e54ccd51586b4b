/** The text of `Bash(…)`: compared with the simple commands of a line, word for word (R10). */

/**
 * Stands in a word for text that only the shell will know: a variable, a substitution. Twice in a row where the shell
 * may also split it into several words or none. No word of a real command can hold it.
 */
export const unknownText = "\0";
/** Between words, so that a blank inside a quoted argument is no border of words. */
const border = "\u0001";

export type Answer = boolean | "unknown";
export type CommandPattern = (command: readonly string[]) => Answer;

/**
 * `git:*` and `git *`: the program and any operands. `git commit:*`: these words first. `npm run test`: exactly these.
 * `git * --force`: `*` is any text, over word borders too.
 */
export function compileCommandPattern(source: string): CommandPattern {
  const trimmed = source.trim();
  const open = /(:\*|\s\*)$/.test(trimmed);
  const words = splitWords(open ? trimmed.slice(0, -2) : trimmed);
  if (words.length === 0) return () => true;
  const byPath = words[0]?.includes("/") ?? false;
  // A border after the last word: "git commit" is no prefix of "git commit-tree".
  const texts = `${words.join(border)}${border}`.split(star).map((text) => text.replaceAll(escapedStar, "*"));
  const pieces = open ? [...texts, ""] : texts;
  return (command) => {
    const [program = "", ...operands] = command;
    const text = `${[byPath ? program : baseName(program), ...operands].join(border)}${border}`;
    if (matches(pieces, text)) return true;
    return mayMatch(pieces, text) ? "unknown" : false;
  };
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const star = "\u0002";
const escapedStar = "\u0003";

/** Words of the pattern; quotes hold one together, and `\*` is a star itself. */
function splitWords(source: string): string[] {
  const found = source.match(/"[^"]*"|'[^']*'|(?:\\.|[^\s\\])+|\\/g) ?? [];
  return found.map((word) =>
    (/^(["']).*\1$/s.test(word) && word.length > 1 ? word.slice(1, -1) : word)
      .replaceAll("\\*", escapedStar)
      .replaceAll("*", star),
  );
}

/** Texts in order, any text between them. */
function matches(pieces: readonly string[], text: string): boolean {
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
  const hole = text.indexOf(unknownText);
  if (hole < 0) return false;
  const known = text.slice(0, hole);
  const [first = ""] = pieces;
  const fits = known.length <= first.length ? first.startsWith(known) : pieces.length > 1 && known.startsWith(first);
  if (!fits) return false;
  const early = known.split(border).length <= 2;
  const rest = known.length <= first.length ? [first.slice(known.length), ...pieces.slice(1)] : pieces.slice(1);
  return early || rest.some((piece, index) => (index === 0 && piece.startsWith("-")) || piece.includes(`${border}-`));
}
