/** What the words of a program are, as far as options tell: for tables of what programs write. */
type Words = readonly string[];

export const isOption = (word: string): boolean => /^-./.test(word);

/** What stands behind `--` is no option. */
export function operandsOf(words: Words): string[] {
  const end = words.indexOf("--");
  const before = end < 0 ? words : words.slice(0, end);
  return [...before.filter((word) => !isOption(word)), ...(end < 0 ? [] : words.slice(end + 1))];
}

/** The value of an option, beside it or behind it. */
export function valuesOf(words: Words, short: string, long: string): string[] {
  return words.flatMap((word, index) => {
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    if (word === short || word === long) return words[index + 1] ?? [];
    return short !== "" && word.startsWith(short) && !word.startsWith("--") ? word.slice(short.length) : [];
  });
}
