/** Globs of changed files that compile and mean something else than their author thinks, so that their hook may never run. */
import type { Problem } from "../../engine/hook.ts";

type Found = Pick<Problem, "message" | "suggestion">;

/** Undefined: it can fit. */
export function unlikelyGlob(written: string): Found | undefined {
  const pattern = written.trim();
  const bare = withoutSets(pattern);
  return mistakes.find(({ shape }) => shape.test(bare))?.tell(pattern);
}

/** First match. Each shape is looked for outside of [sets], {alternatives}, (groups) and what a \ makes a plain letter. */
const mistakes: readonly { shape: RegExp; tell(pattern: string): Found }[] = [
  {
    shape: /[[{]/,
    tell: (pattern) => ({
      message: `the "${withoutSets(pattern).match(/[[{]/)?.[0]}" in "${pattern}" is not closed, so the script may never run`,
      suggestion: "close it, or write \\ before it where a name has it",
    }),
  },
  {
    shape: /,(?=\s|.*[*?[{])/,
    tell: (pattern) => ({
      message: `"${pattern}" is one pattern, and no file is likely to be called so: the script may never run`,
      suggestion: `write "{${pattern.split(/,\s*/).join(",")}}"`,
    }),
  },
  {
    shape: /^!/,
    tell: (pattern) => ({
      message: `"!" at its beginning excludes nothing: only names that begin with it fit "${pattern}"`,
      suggestion: "write a pattern of the files that are meant, such as !(*.test).ts",
    }),
  },
  {
    shape: /(?:^|\/)\.\.(?:\/|$)/,
    tell: (pattern) => ({
      message: `"${pattern}" leads out of its folder, where no file is looked for: the script never runs`,
      suggestion: "write the path from the project's folder",
    }),
  },
  {
    shape: /\/$/,
    tell: (pattern) => ({
      message: `"${pattern}" ends as a folder and is compared with files: the script never runs`,
      suggestion: `write "${pattern}**"`,
    }),
  },
];

/** What is whole inside brackets has its own rules; the innermost go first. */
function withoutSets(pattern: string): string {
  let text = pattern.replace(/\\./g, "_").replace(/\[[!^]?\]?[^\]]*\]/g, "_");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/[@!?+*]?\([^()]*\)|\{[^{}]*\}/g, "_");
  }
  return text;
}
