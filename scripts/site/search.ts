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

export const searchOptions: Options<Found & { text: string }> = {
  fields: ["page", "section", "text"],
  storeFields: ["file", "page", "section", "begins"],
  tokenize: wordsOf,
  searchOptions: {
    boost: { page: 3, section: 4 },
    boostDocument: (_id, _word, stored) => (stored?.section === "" ? 2 : 1), // a page before the sections of others
    prefix: true,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    combineWith: "AND",
  },
};
