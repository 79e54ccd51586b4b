/** Finds which tests name which claims: `[C36, CT11] a sentence` in a test's name, or `proves` in a flow. */
import { globSync, readFileSync } from "node:fs";

export interface NamedTest {
  file: string;
  /** The tags as written: claims, and whatever else the test proves. */
  tags: readonly string[];
  sentence: string;
}

const testFiles = (): string[] =>
  globSync("test/**/*.ts", { exclude: ["**/node_modules"] })
    .filter((file) => !file.includes("node_modules"))
    .sort();
const flowFiles = (): string[] => globSync("test/flows/*/flow.json").sort();

/** A text literal that begins with tags in brackets, as the first word of a test's name or of a contract's sentence. */
const named = /(["'`])\[([A-Z]+\d[\w\s,.–-]*)\] ((?:(?!\1)[^\\]|\\.)*)\1/g;

export function testsByClaim(): ReadonlyMap<string, readonly NamedTest[]> {
  const found = new Map<string, NamedTest[]>();
  for (const test of [...testFiles().flatMap(inSource), ...flowFiles().map(inFlow)]) {
    for (const claim of test.tags.flatMap(expand)) found.set(claim, [...(found.get(claim) ?? []), test]);
  }
  return found;
}

const tagsOf = (written: string): string[] => written.split(",").map((tag) => tag.trim());

const inSource = (file: string): NamedTest[] =>
  [...readFileSync(file, "utf8").matchAll(named)].map(([, , tags = "", sentence = ""]) => ({
    file,
    tags: tagsOf(tags),
    sentence: sentence.replace(/\$\{[^}]*\}/g, "…").replace(/\\(.)/g, "$1"),
  }));

function inFlow(file: string): NamedTest {
  const { proves, story } = JSON.parse(readFileSync(file, "utf8")) as { proves: string; story: string }; // what test/flows reads
  return { file, tags: tagsOf(proves), sentence: story };
}

/** `C4-C27` and `C4..C27` mean each number between; a letter, as in C27a, is named by itself. */
function expand(tag: string): string[] {
  const [, kind, first, last] = /^([A-Z]+)(\d+)(?:-|–|\.\.)\1(\d+)$/.exec(tag) ?? [];
  if (kind === undefined) return [tag];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${kind}${Number(first) + index}`);
}
