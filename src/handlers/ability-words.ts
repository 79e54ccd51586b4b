/** Texts as lists of comparable words: small, without endings and without words that say nothing. */

/** A word as it is compared, and as it stands in the text. */
export interface Word {
  stem: string;
  written: string;
}

const longestText = 20_000;

const empty: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been before being but by can could did do does doing down each
few for from get go had has have having he her here him his how i if in into is it its just let like make me more most my
need no nor not now of off on once only or other our out over own please same she should so some such than that the their
them then there these they this those to too under up us use very want was we were what when where which while who whom
why will with would you your`.split(/\s+/),
);

/** Names are cut at their humps: `codeReview` is code and review. */
export function wordsOf(text: string): Word[] {
  const shown = text.slice(0, longestText).normalize("NFKC");
  const parts = shown.replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, "$1 ").match(parted) ?? [];
  return parts
    .flatMap((part) => (withoutBlanks.test(part) ? piecesOf(part) : [part]))
    .flatMap((written) => {
      const small = written.toLowerCase();
      return empty.has(small) || (small.length < 2 && !withoutBlanks.test(small))
        ? []
        : [{ stem: stemOf(small), written }];
    });
}

/** Scripts that put no blanks between words: every two signs are one. */
const joined = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]`;
const withoutBlanks = new RegExp(joined, "u");
const parted = new RegExp(String.raw`${joined}+|(?:(?!${joined})[\p{L}\p{M}\p{N}])+`, "gu");

function piecesOf(part: string): string[] {
  const signs = [...part];
  return signs.length < 3 ? [part] : signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

/** English endings; what is left has at least three letters. The first that fits is taken off. */
const endings: readonly (readonly [ending: string, instead: string])[] = [
  ["ations", "at"],
  ["ation", "at"],
  ["ating", "at"],
  ["ated", "at"],
  ["ates", "at"],
  ["ate", "at"],
  ["ments", "ment"],
  ["nesses", "ness"],
  ["ities", "ity"],
  ["ies", "y"],
  ["ied", "y"],
  ["sses", "ss"],
  ["ions", "ion"],
  ["ings", ""],
  ["ing", ""],
  ["ers", "er"],
  ["xes", "x"],
  ["ches", "ch"],
  ["shes", "sh"],
  ["ed", ""],
  ["es", ""],
  ["e", ""],
  ["ly", ""],
];

/** One word for its forms, such as deploy for deploys, deployed and deploying. Light: it leaves more than it joins. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  for (const [ending, instead] of endings) {
    if (!word.endsWith(ending) || word.length - ending.length < 3) continue;
    return undoubled(word.slice(0, -ending.length) + instead);
  }
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** planning → plann → plan */
const undoubled = (stem: string): string => (/([bdgkmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem);
