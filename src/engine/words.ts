/** Counts, lists and cuts in sentences: what every room says in the same way. */
import { shortened } from "./one-line.ts";

/** 1 hook, 2 hooks; where the word or its verb ends otherwise, `many` says it: 1 hook has, 2 hooks have. */
export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${count} ${plural(count, one, many)}`;

export const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many);

const usualMost = 4;
/** The first ones in a sentence, with the rest counted. */
export const listed = (all: readonly string[], most: number = usualMost): string =>
  all.length <= most ? all.join(", ") : `${all.slice(0, most).join(", ")} and ${all.length - most} more`;

/** All of them: a, b and c. */
export const joined = (all: readonly string[], before: "and" | "or" = "and"): string =>
  all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ${before} ${all.at(-1)}`;

const longestQuote = 200;
/** A text of others in a sentence of ours. */
export const quote = (text: string): string => JSON.stringify(shortened(text, longestQuote + 1));
