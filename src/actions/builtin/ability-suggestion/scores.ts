/**
 * How well abilities fit a prompt, by words alone: the same prompt and abilities always give the same answer, and each
 * score can be said in the words that made it.
 */

export interface Ability {
  /** As it is called. */
  id: string;
  description: string;
  keywords?: string[];
  /** The file that says so, from the repository's root. */
  from: string;
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
const bonus = {
  /** All words of its name, if there are several. */
  name: 1,
  /** For each two words that stand side by side in both. */
  phrase: 0.4,
  mostPhrases: 4,
} as const;
/** So much evidence is a confidence of 63 %. */
const scale = 1.6;
/** Longer prompts share words with anything. */
const usualWords = 40;
const mostWords = 8;

interface Read {
  ability: Ability;
  /** The weight of each stem. */
  stems: Map<string, number>;
  name: readonly string[];
  phrases: ReadonlySet<string>;
}

/** Those that share anything with the prompt, the best first; equals by id. */
export function scoreAbilities(prompt: string, abilities: readonly Ability[]): Scored[] {
  const words = wordsOf(prompt);
  const read = abilities.map(readAbility);
  const rarity = rarityIn(read);
  const asked = { words, written: writtenOf(words), phrases: pairsOf(words) };
  return read
    .map((one) => score(one, asked, rarity))
    .filter(({ words: shared }) => shared.length > 0)
    .sort((left, right) => right.confidence - left.confidence || (left.ability.id < right.ability.id ? -1 : 1));
}

function readAbility(ability: Ability): Read {
  const name = wordsOf(ability.id);
  const keywords = (ability.keywords ?? []).map(wordsOf);
  const description = wordsOf(ability.description);
  const stems = new Map<string, number>();
  const add = (words: readonly Word[], weight: number): void => {
    for (const { stem } of words) stems.set(stem, Math.max(weight, stems.get(stem) ?? 0));
  };
  add(name, weights.name);
  for (const words of keywords) add(words, weights.keywords);
  add(description, weights.description);
  const phrases = new Set([name, description, ...keywords].flatMap((words) => [...pairsOf(words)]));
  return { ability, stems, name: name.map(({ stem }) => stem), phrases };
}

const pairsOf = (words: readonly Word[]): Set<string> =>
  new Set(words.slice(1).map(({ stem }, index) => `${words[index]?.stem} ${stem}`));

/** The first way in which each word is written. */
function writtenOf(words: readonly Word[]): Map<string, string> {
  const written = new Map<string, string>();
  for (const one of words) if (!written.has(one.stem)) written.set(one.stem, one.written);
  return written;
}

/** 1 for a word of one ability, less the more have it. */
function rarityIn(all: readonly Read[]): (stem: string) => number {
  const count = new Map<string, number>();
  for (const { stems } of all) for (const stem of stems.keys()) count.set(stem, (count.get(stem) ?? 0) + 1);
  const most = Math.log(1 + all.length);
  return (stem) => Math.log(1 + all.length / (count.get(stem) ?? 1)) / most;
}

interface Asked {
  words: readonly Word[];
  written: ReadonlyMap<string, string>;
  phrases: ReadonlySet<string>;
}

function score({ ability, stems, name, phrases }: Read, asked: Asked, rarity: (stem: string) => number): Scored {
  const shared = [...asked.written]
    .flatMap(([stem, written]) => {
      const weight = stems.get(stem);
      return weight === undefined ? [] : [{ written, worth: weight * rarity(stem) }];
    })
    .sort((left, right) => right.worth - left.worth)
    .slice(0, mostWords);
  const sum = shared.reduce((total, { worth }) => total + worth, 0);
  const named = name.length > 1 && name.every((stem) => asked.written.has(stem)) ? bonus.name : 0;
  const together = [...phrases].filter((phrase) => asked.phrases.has(phrase)).length;
  const evidence = sum + named + Math.min(together, bonus.mostPhrases) * bonus.phrase;
  const damped = evidence / Math.sqrt(Math.max(1, asked.written.size / usualWords));
  const confidence = Math.round((1 - Math.exp(-damped / scale)) * 100) / 100;
  return { ability, confidence, words: shared.map(({ written }) => written) };
}

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

/** Names are cut at their humps: `codeReview` is code and review. */
function wordsOf(text: string): Word[] {
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
function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  for (const [ending, instead] of endings) {
    if (!word.endsWith(ending) || word.length - ending.length < 3) continue;
    return undoubled(word.slice(0, -ending.length) + instead);
  }
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** planning → plann → plan */
const undoubled = (stem: string): string => (/([bdgkmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem);
