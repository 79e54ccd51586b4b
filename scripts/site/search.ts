/** What search finds: sections of pages. The index is built with the site; the browser reads it with the same options. */
import type { Options } from "minisearch";

export interface Found {
  id: number;
  /** Of the site, with the section's anchor. */
  file: string;
  page: string;
  section: string;
  begins: string;
}

/** The name under which the script with the index leaves it: scripts load from everywhere, files from a disk do not. */
export const indexName = "hooklineIndex";

/** Words of code are found whole and by their parts: `tool_start`, PreToolUse. */
const wordsOf = (text: string): string[] =>
  text.match(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu)?.flatMap((word) => {
    const parts = word.split(/[_-]|(?<=[a-z])(?=[A-Z])/);
    return parts.length > 1 ? [word, ...parts] : [word];
  }) ?? [];

/** Of a question only the other words count. */
const unasked: ReadonlySet<string> = new Set(
  "a an and are as at be by can do does for from how i if in is it its my of on or that the this to what when where which why with you your".split(
    " ",
  ),
);

/** A page comes before the sections of others, and lists of claims after all. */
const weightOf = ({ section, file }: { section?: unknown; file?: unknown } = {}): number =>
  String(file).startsWith("conformance") ? 0.2 : section === "" ? 2 : 1;

export const searchOptions: Options<Found & { text: string }> = {
  fields: ["page", "section", "text"],
  storeFields: ["file", "page", "section", "begins"],
  tokenize: wordsOf,
  processTerm: (word) => (unasked.has(word.toLowerCase()) ? null : word.toLowerCase()),
  searchOptions: {
    boost: { page: 3, section: 4 },
    boostDocument: (_id, _word, stored) => weightOf(stored),
    prefix: true,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    combineWith: "AND",
  },
};
