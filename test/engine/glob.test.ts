import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileNameGlob } from "../../src/engine/glob.ts";
import { askFnmatch, hasPython } from "../conditions/python-oracle.ts";

test("[D39, R13] a name fits a glob as fnmatch means it: * and ? and sets, capitals as they are", () => {
  const table: readonly (readonly [string, string, boolean])[] = [
    ["*", "", true],
    ["a*c", "abbc", true],
    ["a*c", "abcd", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["Bash", "bash", false],
    ["[ab]x", "bx", true],
    ["[!ab]x", "bx", false],
    ["[a-c]x", "bx", true],
    ["[c-a]x", "bx", false],
    ["[]x]y", "]y", true],
    ["[ab", "[ab", true],
    ["a.c", "abc", false],
    ["filesystem\\..+", "filesystem.read", false],
    ["?", "😀", true],
  ];
  for (const [glob, name, expected] of table) assert.equal(compileNameGlob(glob)(name), expected, `${glob} ${name}`);
});

test("[D39, R13] random globs answer as Python's fnmatch", { skip: !hasPython && "there is no python3" }, () => {
  const glob = fc.string({ unit: fc.constantFrom(..."ab.*?[]!-^z\\😀\n"), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom(..."ab.-^]z😀\n"), maxLength: 6 });
  const asked = fc.sample(fc.tuple(glob, name), { numRuns: 4000, seed: 7 });
  const expected = askFnmatch(asked);
  assert.deepEqual(
    asked.filter(([pattern, text], index) => compileNameGlob(pattern)(text) !== expected[index]),
    [],
  );
});

test("[D39, SAFETY T8] a glob of many stars takes at most pattern times name steps", () => {
  const holds = compileNameGlob(`${"*a".repeat(200)}b`);
  const started = performance.now();
  assert.equal(holds("a".repeat(5000)), false);
  assert.ok(performance.now() - started < 600_000);
});
