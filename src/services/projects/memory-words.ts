/** The words of a question that are worth looking for, and those of a text that its index does not see by itself. */

const stopWords: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being between both but by can could did do does " +
    "doing done down during each few for from further get got had has have having he her here hers him his how i if in into " +
    "is it its just like make many may me might more most much must my no nor not now of off on once only or other our ours " +
    "out over own please same shall she should show so some such tell than that the their theirs them then there these they " +
    "this those through to too under until up us use very was we were what when where which while who whom why will with " +
    "would you your yours"
  ).split(" "),
);
const wordsAtMost = 48;

/** Scripts that part words not at all, or not as others do: whatever lies in them is looked for by pieces of so many letters. */
const scripts: readonly { letters: string; atOnce: number }[] = [
  { letters: String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}`, atOnce: 2 },
  { letters: String.raw`\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}`, atOnce: 3 },
];
const all = scripts.map(({ letters }) => letters).join("");
const anyOfThem = new RegExp(`[${all}]`, "u");
const runs = new RegExp(`${scripts.map(({ letters }) => `([${letters}]+)`).join("|")}|[^${all}]+`, "gu");
/** A letter with the marks that belong to it. */
const letter = /\P{M}\p{M}*|^\p{M}+/gu;

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** The runs of one script in a word: how many letters of it are looked for at once, and those that it has. */
function* runsIn(word: string): Generator<{ run: string; atOnce: number; letters: string[] }> {
  for (const [run, ...groups] of word.normalize("NFC").matchAll(runs)) {
    const script = scripts[groups.findIndex((group) => group !== undefined)];
    yield { run, atOnce: script?.atOnce ?? 0, letters: script ? (run.match(letter) ?? []) : [] };
  }
}

/** A word as questions have it: a run that is shorter than a piece stands for all pieces that begin so. */
const partsOf = (word: string): string[] =>
  !anyOfThem.test(word)
    ? [word]
    : [...runsIn(word)].flatMap(({ run, atOnce, letters }) =>
        letters.length <= atOnce ? [run] : piecesOf(letters, atOnce).slice(0, 1 - atOnce),
      );

/** One from each letter on; the last ones are shorter. */
const piecesOf = (letters: string[], atOnce: number): string[] =>
  letters.map((_letter, index) => letters.slice(index, index + atOnce).join(""));

/** What a text's words in such scripts are found by; empty where there are none. */
export const piecesIn = (text: string): string =>
  wordsIn(text)
    .filter((word) => anyOfThem.test(word))
    .flatMap((word) => [...runsIn(word)])
    .flatMap(({ run, atOnce, letters }) => (letters.length === 0 ? [run] : piecesOf(letters, atOnce)))
    .join(" ");

/** Whether a part is shorter than the pieces of its script. */
export function isBeginning(part: string): boolean {
  const [first] = runsIn(part);
  return first !== undefined && first.letters.length < first.atOnce;
}

/** In lower case and each once, without those that stand in every text, unless there are no others. */
export function wordsOf(query: string): string[] {
  const parts = [...new Set(wordsIn(query).flatMap(partsOf))];
  const significant = parts.filter((word) => !stopWords.has(word));
  return (significant.length > 0 ? significant : parts).slice(0, wordsAtMost);
}
