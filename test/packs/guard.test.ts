/** The guard pack by its own examples and by a part of the labelled corpus: what it stops, what it lets pass, and that it never refuses ordinary work. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { testParts } from "./corpus.ts";
import { judgeOf, levels, packFile } from "./judge.ts";

interface Examples {
  [rule: string]: { stops: string[]; passes: string[] };
}
const pack = parse(readFileSync(packFile, "utf8")) as { hooks: { id: string; tags: string[] }[]; "x-tests": Examples };

test("each rule of the pack stops its examples, and lets those near it pass", async () => {
  const judge = await judgeOf("strict");
  const examples = pack["x-tests"];
  assert.deepEqual(Object.keys(examples).sort(), pack.hooks.map(({ id }) => id).sort());
  for (const [id, { stops, passes }] of Object.entries(examples)) {
    assert.ok(stops.length > 0 && passes.length > 0, id);
    for (const command of stops) assert.ok(judge(command).by.includes(id), `${id} has to stop ${command}`);
    for (const command of passes) assert.ok(!judge(command).by.includes(id), `${id} has to let ${command} pass`);
  }
});

test("each rule has a level", () => {
  for (const { id, tags } of pack.hooks)
    assert.ok(
      levels.some((level) => level === tags[0]),
      id,
    );
});

testParts(20);
