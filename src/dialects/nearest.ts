/** Which known word a misspelt one is nearest to, for "did you mean". Apart because commands need it without a dialect. */
import { distance } from "fastest-levenshtein";

/** Beyond this a word is no misspelling of a name, and comparing costs its length squared. */
const longestName = 60;

/** The candidate that the word is most likely a misspelling of, if one is close enough to ask "did you mean". */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestName) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let least = mistakesIn(word) + 1;
  for (const candidate of candidates) {
    const steps = candidate.toLowerCase() === lower ? 0 : distance(lower, candidate.toLowerCase());
    if (steps < least) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}

export const didYouMean = (word: string, candidates: Iterable<string>): string | undefined => {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : `did you mean "${near}"?`;
};

/** Two letters that changed places are two steps, which even a short word may have. */
const mistakesIn = (word: string): number => (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3)));
