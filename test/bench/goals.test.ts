/** The table of goals: every promise is there, measured or not, and no goal is left out. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { benchmarks } from "../../bench/benchmarks.ts";
import { figure } from "../../bench/columns.ts";
import { linesOf, promises } from "../../bench/goals.ts";
import type { Ratio } from "../../bench/measure.ts";
import type { Report } from "../../bench/report.ts";
import { resultsPage, withResults } from "../../bench/results-page.ts";

const report = (name: string, ratios: Ratio[]): Report => ({
  name,
  about: "what it is about",
  date: "2026-11-22",
  commit: "abc",
  node: "24",
  machine: "one",
  peers: {},
  load: [1, 1],
  noisy: false,
  rows: [{ case: "c", variant: "hookline", unit: "µs", p50: 40, min: 1, p25: 2, p75: 3, n: 9 }],
  ratios,
});
const goal = (name: string, more: Partial<Ratio> = {}): Ratio => ({
  goal: name,
  against: "peer",
  value: 0.4,
  spread: 0.1,
  target: 0.5,
  pass: true,
  ...more,
});

test("every promise names a benchmark that exists, and has a file", () => {
  for (const { measuredBy } of promises)
    assert.ok(
      benchmarks.some(({ name }) => name === measuredBy),
      measuredBy,
    );
  for (const { name } of benchmarks)
    assert.ok(existsSync(join(import.meta.dirname, "../../bench", `${name}.ts`)), name);
});

test("what is measured without a name takes less than eight minutes by its own estimate", () => {
  const seconds = benchmarks.filter(({ alone }) => !alone).reduce((sum, one) => sum + one.seconds, 0);
  assert.ok(seconds < 450, `${seconds}`);
});

test("a promise that nothing measured says so", () => {
  const { promised } = linesOf([]);
  assert.equal(promised.length, promises.length);
  assert.ok(promised.every(({ verdict }) => verdict === "not measured"));
});

test("a goal is shown with both figures and their unit, and each goal exactly once", () => {
  const sides = { ours: { name: "hookline", p50: 40 }, theirs: { name: "peer", p50: 100 } };
  const { promised, others } = linesOf([report("spawn", [goal("small heap: a command", { sides }), goal("another")])]);
  const [line] = promised.filter(({ verdict }) => verdict !== "not measured");
  assert.equal(line?.ours, "40 µs");
  assert.equal(line?.verdict, "reached");
  assert.deepEqual(
    others.map(({ what }) => what),
    ["another"],
  );
});

test("missed goals and figures for information are kept apart on the page", () => {
  const { target: _none, pass: _neither, ...information } = goal("for information");
  const page = resultsPage([report("spawn", [goal("small heap", { value: 0.7, pass: false }), information])]);
  assert.match(page, /\| one command hook, small heap \|.*0\.70 × \|.*\*\*MISSED\*\*/);
  assert.match(page, /\| for information \| peer \| 0\.40 × \| {2}\| {2}\|/);
});

test("the page of documentation gets the figures of now between its marks, and keeps all else", () => {
  const page = "# Title\n\n<!-- figures: all -->\nformer figures\n<!-- figures end -->\n\nend\n";
  const written = withResults(page, [report("spawn", [goal("small heap", { value: 0.7, pass: false })])]);
  assert.match(
    written,
    /^# Title\n\n<!-- figures: all -->\n\nEach line names the benchmark, the day and the commit\. one, Node 24\./,
  );
  assert.match(
    written,
    /\| one command hook, small heap \|.*\| 0\.70 × \|.*\*\*MISSED\*\* \| spawn, 2026-11-22, commit abc \|/,
  );
  assert.match(written, /<!-- figures end -->\n\nend\n$/);
  assert.doesNotMatch(written, /former figures/);
  assert.equal(withResults(written, [report("spawn", [])]).split("figures end").length, 2);
  assert.equal(withResults("no marks", []), "no marks");
});

test("nanoseconds are shown in what is easier to read", () => {
  assert.deepEqual(
    [999, 12_345, 2_500_000, 7e10].map((value) => figure(value, "ns")),
    ["999 ns", "12.3 µs", "2.50 ms", "70 s"],
  );
  assert.equal(figure(1_234_567, "B"), "1234567 B");
});
