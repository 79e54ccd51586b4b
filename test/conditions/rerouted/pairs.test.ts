/** The reroute watch on its two corpora: what is done another way after a refusal, and what is ordinary work. */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { temporaryFolder } from "../../temporary-folder.ts";
import { isHeld, type Pair, pairsIn } from "./pairs.ts";

const said = ({ refused, next }: Pair): string => `${JSON.stringify(refused)} => ${JSON.stringify(next)}`;

for (const [name, missedAtMost] of [
  ["pairs.jsonl", 1],
  ["second-pairs.jsonl", 3],
] as const)
  test(`[X12] of what is done another way after a refusal at least 95 in a hundred are seen: ${name}`, (t) => {
    const folder = temporaryFolder(t);
    const pairs = pairsIn(name);
    const missed = pairs.filter((pair, index) => !isHeld(pair, join(folder, String(index))));
    assert.ok(pairs.length >= 100);
    assert.ok(missed.length <= missedAtMost, missed.map(said).join("\n"));
  });

test("[X12] of the ordinary calls that follow a refusal none is held", (t) => {
  const folder = temporaryFolder(t);
  const pairs = pairsIn("ordinary-pairs.jsonl");
  assert.ok(pairs.length >= 500);
  assert.deepEqual(pairs.filter((pair, index) => isHeld(pair, join(folder, String(index)))).map(said), []);
});

test("[X12] a task of the project that does more than what was refused is ordinary, until it is written anew", (t) => {
  const folder = temporaryFolder(t);
  const scripts = JSON.stringify({ scripts: { build: "rm -rf build && tsc", clean: "rm -rf build" } });
  const pair = { kind: "task", refused: "rm -rf build", next: "npm run build", before: { "package.json": scripts } };
  assert.equal(isHeld(pair, join(folder, "a")), false);
  assert.equal(isHeld({ ...pair, before: {}, written: pair.before }, join(folder, "b")), true);
  assert.equal(isHeld({ ...pair, next: "npm run clean" }, join(folder, "c")), true);
});

test("[X12] a path of a container with marks of patterns is read as the text that it is", (t) => {
  const next = "docker run -v $PWD:/x'(' alpine true; find data -delete";
  assert.equal(isHeld({ kind: "container", refused: "rm -rf data", next }, join(temporaryFolder(t), "a")), true);
});

test("[X12] no call makes it throw, however its text is cut", (t) => {
  const folder = temporaryFolder(t);
  for (const [index, { refused, next }] of pairsIn("pairs.jsonl").entries())
    for (const call of [refused, next])
      if (typeof call === "string" && index % 4 === 0)
        for (let end = 1; end < call.length; end += 5)
          isHeld({ kind: "", refused: call, next: call.slice(0, end) }, join(folder, "cut"));
});
