/** Which known name a misspelt one is nearest to, for "did you mean". Apart because conditions, hook files and commands all ask it. */

/** Beyond this a word is no misspelling of a name, and comparing costs its length squared. */
const longestName = 60;

/** The candidate that the word is most likely a misspelling of, if one is close enough to ask "did you mean". */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestName) return undefined;
  let best: string | undefined;
  let least = mistakesIn(word) + 1;
  const written = word.toLowerCase();
  for (const candidate of candidates) {
    const name = candidate.toLowerCase();
    if (Math.abs(written.length - name.length) >= least) continue; // so many letters are missing or added
    const mistakes = distance(written, name);
    if (mistakes < least) {
      least = mistakes;
      best = candidate;
    }
  }
  return best;
}

/** The nearest candidates, the best first, where one alone would hide what was meant. */
export function nearestFew(word: string, candidates: Iterable<string>, most: number): string[] {
  if (word.length > longestName) return [];
  const written = word.toLowerCase();
  const found = [...new Set(candidates)].map((name) => ({ name, mistakes: distance(written, name.toLowerCase()) }));
  const near = found.filter(({ mistakes }) => mistakes <= mistakesIn(word));
  return near
    .sort((left, right) => left.mistakes - right.mistakes)
    .slice(0, most)
    .map(({ name }) => name);
}

export const didYouMean = (word: string, candidates: Iterable<string>): string | undefined => {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : `did you mean "${near}"?`;
};

/** What to say of a name that is none of those that are known. */
export const meantOrKnown = (word: string, known: readonly string[]): string =>
  didYouMean(word, known) ?? `known: ${known.join(", ")}`;

const no: readonly unknown[] = [false, null, "false", "no", "off", "", 0];

/**
 * Whether a flag is set, also where its name is misspelt or its value no flag: what guards must not be lost to a
 * slip of the pen.
 */
export const asksFor = (
  flag: string,
  fields: Iterable<readonly [key: string, value: unknown]>,
  known: readonly string[],
): boolean => [...fields].some(([key, value]) => nearest(key, known) === flag && !no.includes(value));

/** How many letters may differ. */
const mistakesIn = (word: string): number => (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3)));

/** Two letters that changed places: likelier than another letter, so that "trun" is "turn" and not "true". */
const swapped = 0.9;

/** Letters changed, added, missing or swapped with their neighbour (optimal string alignment), row by row of the usual table. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  let before = row;
  for (let down = 1; down <= left.length; down++) {
    const next = [down];
    for (let across = 1; across <= right.length; across++) {
      const changed = (row[across - 1] ?? 0) + (left[down - 1] === right[across - 1] ? 0 : 1);
      const isSwap =
        down > 1 && across > 1 && left[down - 1] === right[across - 2] && left[down - 2] === right[across - 1];
      const best = Math.min(changed, (row[across] ?? 0) + 1, (next[across - 1] ?? 0) + 1);
      next.push(isSwap ? Math.min(best, (before[across - 2] ?? 0) + swapped) : best);
    }
    before = row;
    row = next;
  }
  return row[right.length] ?? 0;
}
