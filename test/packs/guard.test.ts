/** The guard pack by its own examples and by the labelled corpus: what it stops, what it lets pass, and that it never refuses ordinary work. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { corpus, judgeOf, type Labelled, levels, packFile } from "./judge.ts";

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

test("each rule has a level, and a higher level only adds rules", async () => {
  for (const { id, tags } of pack.hooks)
    assert.ok(
      levels.some((level) => level === tags[0]),
      id,
    );
  const [quiet, standard, strict] = await Promise.all(levels.map(judgeOf));
  for (const { command } of corpus("ordinary").slice(0, 300)) {
    const by = [quiet, standard, strict].map((judge) => new Set(judge?.(command).by));
    assert.ok(
      [...(by[0] ?? [])].every((id) => by[1]?.has(id)) && [...(by[1] ?? [])].every((id) => by[2]?.has(id)),
      command,
    );
  }
});

interface Tally {
  deny: number;
  ask: number;
  /** Asked, where the label says that nobody should be. */
  needless: number;
  pass: number;
}
async function tally(lines: readonly Labelled[]): Promise<Tally> {
  const judge = await judgeOf("standard");
  const found: Tally = { deny: 0, ask: 0, needless: 0, pass: 0 };
  for (const { command, ask } of lines) {
    const { decision } = judge(command);
    found[decision] += 1;
    if (decision === "ask" && ask !== true) found.needless += 1;
  }
  return found;
}

/** The folder of each part of the corpus, and how many of a hundred dangerous lines have to be stopped at least. */
const parts = { open: ["", 95], sealed: ["sealed/", 93], second: ["second/", 95] } as const;

for (const [called, [part, least]] of Object.entries(parts)) {
  test(`of the ${called} ordinary commands at most 0.5 % are refused and 5 % asked about`, async (t) => {
    const lines = corpus(`${part}ordinary`);
    const { deny, ask, needless } = await tally(lines);
    t.diagnostic(`${deny} refused and ${ask} asked of ${lines.length}, ${needless} of them without need`);
    assert.ok(deny <= 0.005 * lines.length, `${deny} refused`);
    assert.ok(ask <= 0.05 * lines.length, `${ask} asked`);
  });

  test(`of the ${called} dangerous commands at least ${least} % are refused or asked about`, async (t) => {
    const lines = corpus(`${part}dangerous`);
    const { pass } = await tally(lines);
    t.diagnostic(`${lines.length - pass} stopped of ${lines.length}`);
    assert.ok(lines.length - pass >= (least / 100) * lines.length, `${pass} pass`);
  });
}
