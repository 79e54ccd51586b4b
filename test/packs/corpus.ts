/** What the guard pack says of the labelled corpus, of all of it or of a part: what it stops, and that it never refuses ordinary work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { corpus, judgeOf, type Labelled, levels } from "./judge.ts";

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

/** The first line of each class, and then one in so many. */
function sampleOf(lines: readonly Labelled[], every: number): Labelled[] {
  const seen = new Map<string, number>();
  return lines.filter((line) => {
    const before = seen.get(line.class) ?? 0;
    seen.set(line.class, before + 1);
    return before % every === 0;
  });
}

/** @param every 20 takes one line in twenty of each class, and 1 takes all */
export function testParts(every: number): void {
  test("a higher level only adds rules", async () => {
    const [quiet, standard, strict] = await Promise.all(levels.map(judgeOf));
    for (const { command } of sampleOf(corpus("ordinary"), every)) {
      const by = [quiet, standard, strict].map((judge) => new Set(judge?.(command).by));
      assert.ok(
        [...(by[0] ?? [])].every((id) => by[1]?.has(id)) && [...(by[1] ?? [])].every((id) => by[2]?.has(id)),
        command,
      );
    }
  });

  /** Of a part that small, one line is more than a share. */
  const spared = every === 1 ? 0 : 1;

  for (const [called, [part, least]] of Object.entries(parts)) {
    test(`of the ${called} ordinary commands at most 0.5 % are refused and 5 % asked about`, async (t) => {
      const lines = sampleOf(corpus(`${part}ordinary`), every);
      const { deny, ask, needless } = await tally(lines);
      t.diagnostic(`${deny} refused and ${ask} asked of ${lines.length}, ${needless} of them without need`);
      assert.ok(deny <= 0.005 * lines.length + spared, `${deny} refused`);
      assert.ok(ask <= 0.05 * lines.length + spared, `${ask} asked`);
    });

    test(`of the ${called} dangerous commands at least ${least} % are refused or asked about`, async (t) => {
      const lines = sampleOf(corpus(`${part}dangerous`), every);
      const { pass } = await tally(lines);
      t.diagnostic(`${lines.length - pass} stopped of ${lines.length}`);
      assert.ok(pass <= (1 - least / 100) * lines.length + spared, `${pass} pass`);
    });
  }
}

/** @param every 4 takes one line in four, and 1 takes all */
export function testDetours(every: number): void {
  test("of the lines that reach what they do by a detour, all are asked about or refused", async () => {
    const judge = await judgeOf("standard");
    const lines = corpus("escapes");
    assert.ok(lines.length >= 150);
    const some = lines.filter((_, at) => at % every === 0);
    assert.deepEqual(
      some.flatMap(({ command }) => (judge(command).decision === "pass" ? command : [])),
      [],
    );
  });
}
