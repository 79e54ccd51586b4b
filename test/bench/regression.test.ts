/** When a ratio counts as worse than the last release's. Nothing is timed here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ratio } from "../../bench/measure.ts";
import { guarded, noLongerMeasured, type Recorded, regressions, worseIn } from "../../bench/regression.ts";

const recorded = (value: number, more: Partial<Recorded> = {}): Recorded => ({
  from: "spawn",
  goal: "one command",
  value,
  spread: 0.05,
  better: "less",
  ...more,
});
const goals = (found: readonly { before: Recorded }[]): string[] => found.map(({ before }) => before.goal);

test("a ratio that is worse by more than a fifth is reported, and one that is worse by less is not", () => {
  const baseline = [recorded(0.5)];
  assert.deepEqual(goals(worseIn(baseline, [recorded(0.61)])), ["one command"]);
  assert.deepEqual(worseIn(baseline, [recorded(0.59)]), []);
  assert.deepEqual(worseIn(baseline, [recorded(0.2)]), []);
});

test("of a goal where more is better, it is less that is worse", () => {
  const baseline = [recorded(100, { better: "more" })];
  assert.deepEqual(worseIn(baseline, [recorded(150, { better: "more" })]), []);
  assert.deepEqual(worseIn(baseline, [recorded(84, { better: "more" })]), []);
  const [worse] = worseIn(baseline, [recorded(50, { better: "more" })]);
  assert.equal(worse?.worseBy, 1);
});

test("a difference below what two equal runs differed by, then or now, is none", () => {
  assert.deepEqual(worseIn([recorded(1, { spread: 0.6 })], [recorded(1.5)]), []);
  assert.deepEqual(worseIn([recorded(1)], [recorded(1.5, { spread: 0.6 })]), []);
  assert.equal(worseIn([recorded(1)], [recorded(1.5, { spread: 0.4 })]).length, 1);
});

test("one bad round of three is bad luck, two are a regression by the smaller of them", () => {
  const baseline = [recorded(1)];
  const round = (value: number): Recorded[] => [recorded(value)];
  assert.deepEqual(regressions(baseline, [round(2), round(1), round(1.1)]), []);
  const [found] = regressions(baseline, [round(2), round(1), round(1.5)]);
  assert.equal(found?.now.value, 1.5);
  assert.equal(regressions(baseline, [round(1.5), round(1.6), round(1.7)]).length, 1);
});

test("rounds keep goals of one name apart by the benchmark that measured them", () => {
  const baseline = [recorded(1), recorded(1, { from: "resident" })];
  const rounds = [2, 2].map((value) => [recorded(value), recorded(1, { from: "resident" })]);
  assert.deepEqual(
    regressions(baseline, rounds).map(({ before }) => before.from),
    ["spawn"],
  );
});

test("a guarded goal that nothing measures any more is reported", () => {
  const baseline = [recorded(1), recorded(1, { goal: "100 at once" })];
  assert.deepEqual(
    noLongerMeasured(baseline, [recorded(1)]).map(({ goal }) => goal),
    ["100 at once"],
  );
});

test("guarded are ratios that have a goal: no information, no megabytes, nothing that is zero", () => {
  const ratio: Ratio = { goal: "one command", against: "spawn", value: 0.4, spread: 0.1, target: 0.5, pass: true };
  const { target: _none, pass: _neither, ...information } = ratio;
  const kept = guarded("spawn", [ratio, information, { ...ratio, unit: "MB" }, { ...ratio, value: 0 }]);
  assert.deepEqual(kept, [recorded(0.4, { spread: 0.1 })]);
});

test("which way is better is read from what passed where the ratio does not say it", () => {
  const ratio: Ratio = { goal: "g", against: "a", value: 120, spread: 0, target: 100, pass: true };
  assert.equal(guarded("x", [ratio])[0]?.better, "more");
  assert.equal(guarded("x", [{ ...ratio, pass: false }])[0]?.better, "less");
  assert.equal(guarded("x", [{ ...ratio, value: 100, better: "more" }])[0]?.better, "more");
});
