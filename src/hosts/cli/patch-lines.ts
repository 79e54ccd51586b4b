/** The difference of two texts, as a person reads it. Apart, because few commands need the library. */
import { structuredPatch } from "diff";

/** Each with its sign: `+`, `-`, or a blank for what stays beside it. */
export const patchLines = (before: string, after: string): string[] =>
  before === after
    ? []
    : structuredPatch("", "", before, after, undefined, undefined, { context: 2 }).hunks.flatMap(({ lines }) => lines);
