/**
 * Which ratios have become worse since the last release.
 *
 * Only goals that are ratios are guarded: they hold on any machine. Worse means by more than a fifth and by more than
 * two equal runs differed, then or now; and it counts only in two rounds of three.
 */
import { isMoreBetter } from "./goals.ts";
import type { Ratio } from "./measure.ts";

export interface Recorded {
  /** The benchmark's name. */
  from: string;
  goal: string;
  value: number;
  spread: number;
  better: "less" | "more";
}
export interface Baseline {
  /** Of the release, or of the state that becomes one. */
  version: string;
  commit: string;
  date: string;
  node: string;
  machine: string;
  ratios: Recorded[];
}
export interface Regression {
  before: Recorded;
  now: Recorded;
  /** As a part of 1. */
  worseBy: number;
}

const allowed = 0.2;
const roundsThatCount = 2;

export const guarded = (from: string, ratios: readonly Ratio[]): Recorded[] =>
  ratios
    .filter(({ target, unit, value }) => target !== undefined && unit === undefined && value > 0)
    .map((ratio) => ({
      from,
      goal: ratio.goal,
      value: ratio.value,
      spread: ratio.spread,
      better: isMoreBetter(ratio) ? "more" : "less",
    }));

/** What is worse in one round. A ratio that one of the two sides does not have is not compared. */
export function worseIn(baseline: readonly Recorded[], round: readonly Recorded[]): Regression[] {
  return baseline.flatMap((before) => {
    const now = round.find(({ from, goal }) => from === before.from && goal === before.goal);
    if (!now) return [];
    const worseBy = (before.better === "less" ? now.value / before.value : before.value / now.value) - 1;
    return worseBy > Math.max(allowed, before.spread, now.spread) ? [{ before, now, worseBy }] : [];
  });
}

/** What is worse in at least two of the rounds, with the least bad of these rounds. */
export function regressions(baseline: readonly Recorded[], rounds: readonly (readonly Recorded[])[]): Regression[] {
  const found = rounds.flatMap((round) => worseIn(baseline, round));
  return baseline.flatMap((before) => {
    const [least, ...more] = found
      .filter((one) => one.before === before)
      .sort((left, right) => left.worseBy - right.worseBy);
    return least && more.length + 1 >= roundsThatCount ? [least] : [];
  });
}

/** Goals of the baseline that nothing measures any more: a guard that has fallen silent. */
export const noLongerMeasured = (baseline: readonly Recorded[], round: readonly Recorded[]): Recorded[] =>
  baseline.filter((before) => !round.some(({ from, goal }) => from === before.from && goal === before.goal));
