import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { compileExpression } from "../../src/conditions/expressions/evaluate.ts";
import { isMissing, newFrame } from "../../src/conditions/expressions/tree.ts";
import { represent } from "../../src/conditions/expressions/values.ts";
import { loadPatterns } from "../../src/conditions/patterns.ts";
import { HooklineError, messageOf } from "../../src/engine/error.ts";
import type { Json } from "../../src/engine/event.ts";
import type { Patterns, Scope } from "../../src/engine/ports.ts";
import { askPython, hasPython } from "./python-oracle.ts";
import { interpret } from "./python-reference.ts";
import { print, samples } from "./python-sample.ts";
import { scopes, worlds } from "./worlds.ts";

const seed = Number(process.env.HOOKLINE_PROPERTY_SEED ?? 41);

let patterns: Patterns;
before(async () => {
  patterns = await loadPatterns({ expression: true });
});

/** Answers that nobody but us has to give up: they end at our limit of steps, and not after it. */
const limit = "LIMIT";
const agrees = (answer: string, expected: string | undefined): boolean => answer === expected || answer === limit;

/** repr() of the answer, or FAULT or LIMIT; what is refused at load is SYNTAX. */
function ours(text: string, scope: Scope): string {
  const tree = treeOf(text);
  return tree === undefined ? "SYNTAX" : answerOf(tree, scope);
}

function treeOf(text: string): Json | undefined {
  try {
    return patterns.expression(text);
  } catch (error) {
    assert.ok(error instanceof HooklineError && error.code === "pattern_invalid", messageOf(error));
    assert.match(String(error.facts.reason), /^column \d+: /);
    return undefined;
  }
}

function answerOf(tree: Json, scope: Scope): string {
  const evaluate = compileExpression(tree);
  try {
    const value = evaluate(scope);
    return represent({ ...newFrame(scope), steps: Number.POSITIVE_INFINITY }, value);
  } catch (error) {
    assert.match(messageOf(error), /^column \d+: /);
    if (isMissing(error)) return "MISSING";
    return /more than 10000 steps/.test(messageOf(error)) ? limit : "FAULT";
  }
}

const scopeAt = (index: number): Scope => scopes[index % scopes.length] as Scope; // there is one for each rest

const tokens =
  'not|and|or|in|is|if|else|for|x|turn|tokens|tool|prompt|len|any|None|True|1|2.0|"a"|\'b\'|(|)|[|]|{|}|,|.|:|==|!=|<|>=|=|+|-|*|**|/|//|%|lower|count|&|!|lambda|f"a"|~|;|#|\n|012|1_0|0x1f|\\'
    .split("|")
    .concat("|");
const soup = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 14 }).map((words) => words.join(" "));

/** One part of the tree is something else. */
function damage(tree: Json, at: number, by: Json): Json {
  let left = at;
  const walk = (part: Json): Json => {
    if (left-- === 0) return by;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, walk(one)]));
  };
  return walk(tree);
}

/** HOOKLINE_PROPERTY_RUNS=100000 takes about two minutes. */
export function testExpressions(rounds: number): void {
  const runs = Number(process.env.HOOKLINE_PROPERTY_RUNS ?? rounds);
  test("[D43, R64] random expressions answer as a plain interpreter of their meaning", () => {
    let [answered, limited] = [0, 0];
    fc.assert(
      fc.property(samples, fc.nat(scopes.length - 1), (sample, world) => {
        const expected = interpret(sample, worlds[world] ?? {});
        const answer = ours(print(sample), scopeAt(world));
        if (answer === limit) limited++;
        else if (expected !== "FAULT") assert.equal(answer, expected); // it does not tell missing values from other faults
        if (expected !== "FAULT") answered++;
      }),
      { numRuns: runs, seed },
    );
    assert.ok(answered > runs / 3, `only ${answered} of ${runs} had an answer`);
    assert.ok(limited <= 1 + runs / 1000, `${limited} of ${runs} came to the limit`);
  });

  test("[D43, R64] random expressions answer as Python does", { skip: !hasPython && "there is no python3" }, () => {
    const batch = 10_000;
    for (let done = 0; done < runs; done += batch) {
      const count = Math.min(batch, runs - done);
      const asked = fc
        .sample(samples, { numRuns: count, seed: seed + done + 1 })
        .map((sample, index): [string, number] => [print(sample), index % worlds.length]);
      const expected = askPython(asked, worlds);
      const wrong = asked.flatMap(([text, world], index) => {
        const answer = ours(text, scopeAt(world));
        return agrees(answer, expected[index]) ? [] : [{ text, world, answer, python: expected[index] }];
      });
      assert.deepEqual(wrong, []);
    }
  });

  test("[D43] what Python does not read is a load error with a column, and nothing crashes", () => {
    const asked = fc.sample(soup, { numRuns: runs, seed }).map((text): [string, number] => [text, 1]);
    // A name after a dot may be a word of Python's own: tool.class.
    const accepted = asked.filter(
      ([text]) => !/\.\s*(?:not|and|or|in|is|if|else|for|lambda|None|True)\b/.test(text) && treeOf(text) !== undefined,
    );
    assert.ok(accepted.length > runs / 100, `only ${accepted.length} were read`);
    if (!hasPython) return;
    // Line breaks mean nothing to an expression.
    const expected = askPython(
      accepted.map(([text, world]): [string, number] => [text.replaceAll("\n", " ").trim(), world]),
      worlds,
    );
    const wrong = accepted.flatMap(([text, world], index) => {
      const answer = ours(text, scopeAt(world));
      return agrees(answer, expected[index]) ? [] : [{ text, answer, python: expected[index] }];
    });
    assert.deepEqual(wrong, []);
  });

  test("[D43, SAFETY D6] a stored tree that is damaged is a load error or another expression, never a crash", () => {
    fc.assert(
      fc.property(samples, fc.nat(60), fc.jsonValue({ maxDepth: 2 }), (sample, at, by) => {
        const tree = damage(patterns.expression(print(sample)), at, by as Json); // JSON by its making
        try {
          const evaluate = compileExpression(tree);
          try {
            evaluate(scopeAt(at));
          } catch (error) {
            assert.match(messageOf(error), /^column -?[\d.e+-]+: /);
          }
        } catch (error) {
          assert.ok(error instanceof HooklineError && error.code === "pattern_invalid", messageOf(error));
        }
      }),
      { numRuns: runs, seed },
    );
  });
}
