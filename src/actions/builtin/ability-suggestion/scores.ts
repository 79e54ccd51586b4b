/**
 * How well abilities fit a prompt, by words alone: the same prompt and abilities always give the same answer, and each
 * score can be said in the words that made it.
 */

export interface Ability {
  /** As it is called. */
  id: string;
  description: string;
  keywords?: string[];
}
export interface Scored {
  ability: Ability;
  /** In 0..1. */
  confidence: number;
  /** The words of the prompt that it shares, what counts most first. */
  words: string[];
}

/** A word counts where it says most about the ability. */
const weights = { name: 1, keywords: 0.8, description: 0.5 } as const;
/** For all words of a name, if there are several; and for each two words that stand side by side in both. */
const bonus = { name: 1, pair: 0.4, mostPairs: 4 } as const;
/** So much evidence is a confidence of 63 %. */
const scale = 1.6;
/** Longer prompts share words with anything. */
const usualWords = 40;
const mostWords = 8;

/** Those that share anything with the prompt, the best first; equals by id. */
export function scoreAbilities(prompt: string, abilities: readonly Ability[]): Scored[] {
  const words = wordsOf(prompt);
  const asked = new Map<string, string>();
  for (const { stem, written } of words) if (!asked.has(stem)) asked.set(stem, written); // as it is written first
  const pairs = pairsOf(words);
  const read = abilities.map(readAbility);
  const holders = new Map<string, number>();
  for (const { stems } of read) for (const stem of stems.keys()) holders.set(stem, (holders.get(stem) ?? 0) + 1);
  /** 1 for a stem of one ability, less the more have it. */
  const rarity = (stem: string): number =>
    Math.log(1 + read.length / (holders.get(stem) ?? 1)) / Math.log(1 + read.length);

  function score({ ability, name, stems, pairs: own }: Read): Scored {
    const shared = [...asked]
      .flatMap(([stem, written]) => ({ written, worth: (stems.get(stem) ?? 0) * rarity(stem) }))
      .filter(({ worth }) => worth > 0)
      .sort((left, right) => right.worth - left.worth)
      .slice(0, mostWords);
    const isNamed = name.length > 1 && name.every(({ stem }) => asked.has(stem));
    const evidence =
      shared.reduce((sum, { worth }) => sum + worth, isNamed ? bonus.name : 0) +
      Math.min([...pairs].filter((pair) => own.has(pair)).length, bonus.mostPairs) * bonus.pair;
    const damped = evidence / Math.sqrt(Math.max(1, asked.size / usualWords));
    const confidence = Math.round((1 - Math.exp(-damped / scale)) * 100) / 100;
    return { ability, confidence, words: shared.map(({ written }) => written) };
  }

  return read
    .map(score)
    .filter(({ words: shared }) => shared.length > 0)
    .sort((left, right) => right.confidence - left.confidence || (left.ability.id < right.ability.id ? -1 : 1));
}

interface Read {
  ability: Ability;
  name: readonly Word[];
  /** The weight of each. */
  stems: ReadonlyMap<string, number>;
  pairs: ReadonlySet<string>;
}

function readAbility(ability: Ability): Read {
  const { id, description, keywords = [] } = ability;
  const name = wordsOf(id);
  const parts = [
    { words: wordsOf(description), weight: weights.description },
    ...keywords.map((text) => ({ words: wordsOf(text), weight: weights.keywords })),
    { words: name, weight: weights.name },
  ]; // what counts more stands later
  const stems = new Map(parts.flatMap(({ words, weight }) => words.map(({ stem }) => [stem, weight] as const)));
  return { ability, name, stems, pairs: new Set(parts.flatMap(({ words }) => [...pairsOf(words)])) };
}

const pairsOf = (words: readonly Word[]): Set<string> =>
  new Set(words.slice(1).map(({ stem }, index) => `${words[index]?.stem} ${stem}`));

/** A word as it is compared, and as it stands in the text. */
interface Word {
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

/** Scripts that put no blanks between words: every two signs are one. */
const joined = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]`;
const withoutBlanks = new RegExp(joined, "u");
const parted = new RegExp(String.raw`${joined}+|(?:(?!${joined})[\p{L}\p{M}\p{N}])+`, "gu");

/** Names are cut at their humps: `codeReview` is code and review. */
function wordsOf(text: string): Word[] {
  const shown = text.slice(0, longestText).normalize("NFKC");
  const parts = shown.replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, "$1 ").match(parted) ?? [];
  return parts.flatMap((part) => {
    if (withoutBlanks.test(part)) return piecesOf(part).map((written) => ({ stem: written, written }));
    const small = part.toLowerCase();
    return small.length < 2 || empty.has(small) ? [] : [{ stem: stemOf(small), written: part }];
  });
}

function piecesOf(part: string): string[] {
  const signs = [...part];
  return signs.length < 3 ? [part] : signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

/** English endings; the first that fits and leaves at least three letters is taken off. */
const endings: readonly (readonly [ending: RegExp, instead: string])[] = [
  [/at(?:ions?|ing|ed|es?)$/, "at"],
  [/ie[sd]$/, "y"],
  [/(ment|ion|er)s$/, "$1"],
  [/(ss|x|ch|sh)es$/, "$1"],
  [/(?:ings?|ed|es?|ly)$/, ""],
  [/([^su])s$/, "$1"],
];

/** One word for its forms, such as deploy for deploys, deployed and deploying. Light: it leaves more than it joins. */
function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  for (const [ending, instead] of endings) {
    const stem = word.replace(ending, instead);
    if (stem !== word && stem.length >= 3) return stem.replace(/([bdgkmnprt])\1$/, "$1"); // planning → plann → plan
  }
  return word;
}
