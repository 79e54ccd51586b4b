/**
 * How well abilities fit a prompt, by words alone: the same prompt and abilities always give the same answer, and each
 * score can be said in the words that made it.
 */
import { type Word, wordsOf } from "./ability-words.ts";

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
