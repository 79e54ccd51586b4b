/** How a benchmark is taken: interleaved rounds, warm-up not counted, ratios pair by pair (docs/performance.md). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `npm run bench -- --quick`: it is seen whether each benchmark comes to its end, and no figure counts. */
export const isQuick: boolean = process.env.HOOKLINE_BENCH_QUICK !== undefined;

/** So many, and in the quick form so few: whatever makes a benchmark long has its size from here. */
export const sized = (full: number, quick: number): number => (isQuick ? quick : full);

/** One side of a comparison, timed inside this process. */
export interface Work {
  name: string;
  /** Does the work so many times. */
  run(times: number): void | Promise<void>;
}
export interface Sampling {
  rounds: number;
  /** How long one side works in one round. */
  milliseconds: number;
}
/** Readings per side; those with one index were taken in one round, so they are a pair. */
export interface Samples {
  of(name: string): readonly number[];
  /** The first side once more in each round: what two equal runs differ by. */
  again: readonly number[];
  names: readonly string[];
}

export interface Row {
  case: string;
  variant: string;
  unit: string;
  p50: number;
  min: number;
  p25: number;
  p75: number;
  n: number;
}
export interface Ratio {
  goal: string;
  against: string;
  value: number;
  /** What the value is counted in, such as "MB"; times (×) unless said. */
  unit?: string;
  /** The medians that stand behind a ratio of two sides. */
  sides?: { ours: Side; theirs: Side };
  /** By how much two equal runs differed in this call, as a part of 1. A smaller difference is none. */
  spread: number;
  /** Absent: measured for information. */
  target?: number;
  pass?: boolean;
  /** Which way is better, where there is a target. */
  better?: "less" | "more";
}
export interface Side {
  name: string;
  p50: number;
}
export interface Findings {
  rows: Row[];
  ratios: Ratio[];
}
export interface Benchmark {
  name: string;
  about: string;
  /** Why it cannot be taken here: what it needs and this machine does not have. In the full form it may install that first. */
  missing?(): string | undefined;
  /** Sides that are not taken here, each with the reason. */
  leftOut?(): readonly string[];
  measure(): Promise<Findings>;
}

export const joined = (parts: readonly Findings[]): Findings => ({
  rows: parts.flatMap(({ rows }) => rows),
  ratios: parts.flatMap(({ ratios }) => ratios),
});

/** Work in a folder of its own, which is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nanoseconds for one time of each side's work. */
export async function sampleWork(sides: readonly Work[], { rounds, milliseconds }: Sampling): Promise<Samples> {
  const counts = new Map<string, number>();
  for (const side of sides) counts.set(side.name, await timesThatFill(side, sized(milliseconds, 1)));
  return sampleReadings(
    sides.map(({ name }) => name),
    rounds,
    async (name) => {
      const side = sides.find((one) => one.name === name);
      const times = counts.get(name) ?? 1;
      const started = process.hrtime.bigint();
      await side?.run(times);
      return Number(process.hrtime.bigint() - started) / times;
    },
  );
}

/** Doubling until it takes long enough is the warm-up, too; what is paid once is paid before. */
async function timesThatFill(side: Work, milliseconds: number): Promise<number> {
  await side.run(8);
  for (let times = 1; ; times *= 2) {
    const started = performance.now();
    await side.run(times);
    const took = performance.now() - started;
    if (took >= milliseconds) return Math.max(1, Math.round((times * milliseconds) / took));
  }
}

/** The same for any reading, such as the processor time of a whole process. One round goes before and is not counted. */
export async function sampleReadings(
  names: readonly string[],
  rounds: number,
  read: (name: string) => number | Promise<number>,
): Promise<Samples> {
  const { only } = await sampleTogether(names, rounds, async (name) => ({ only: await read(name) }));
  return only;
}

/** The same for several figures of one reading, such as the wall time and the processor time of a process. */
export async function sampleTogether<Figure extends string>(
  names: readonly string[],
  rounds: number,
  read: (name: string) => Promise<Readonly<Record<Figure, number>>>,
): Promise<Record<Figure, Samples>> {
  const [first = ""] = names;
  const taken: { side: string; figures: Readonly<Record<Figure, number>> }[] = [];
  for (let round = sized(-1, 0); round < sized(rounds, 1); round++)
    for (const side of [...names, ...(isQuick ? [] : [againOf(first)])]) {
      const figures = await read(side === againOf(first) ? first : side);
      if (round >= 0) taken.push({ side, figures });
    }
  const samplesOf = (figure: Figure): Samples => {
    const readings = (name: string): number[] =>
      taken.flatMap(({ side, figures }) => (side === name ? [figures[figure]] : []));
    return {
      of(name) {
        if (!names.includes(name)) throw new Error(`no side is called "${name}" — ${names.join(", ")}`);
        return readings(name);
      },
      again: readings(againOf(first)),
      names,
    };
  };
  const figures = Object.keys(taken[0]?.figures ?? {}) as Figure[]; // those that the first reading gave
  return Object.fromEntries(figures.map((figure) => [figure, samplesOf(figure)])) as Record<Figure, Samples>; // one of each
}

const againOf = (name: string): string => `again: ${name}`;

export function rowsOf(called: string, unit: string, samples: Samples): Row[] {
  return samples.names.map((variant) => ({ case: called, variant, unit, ...summary(samples.of(variant)) }));
}

function summary(readings: readonly number[]): Pick<Row, "p50" | "min" | "p25" | "p75" | "n"> {
  const at = (part: number): number => quantile(readings, part);
  return { p50: at(0.5), min: at(0), p25: at(0.25), p75: at(0.75), n: readings.length };
}

export function quantile(readings: readonly number[], part: number): number {
  const sorted = [...readings].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.round((sorted.length - 1) * part))] ?? Number.NaN;
}

export interface Question {
  goal: string;
  /** The side whose cost is divided, and the one it is divided by. */
  cost: string;
  by: string;
  atMost?: number;
  atLeast?: number;
}

/** A figure that is read once. */
export const rowOf = (called: string, variant: string, unit: string, value: number): Row => ({
  ...{ case: called, variant, unit, p50: value, min: value, p25: value, p75: value },
  n: 1,
});

/** A figure of ours alone that may not be exceeded. */
export const boundOf = (
  goal: string,
  value: number,
  target: number,
  more: { unit?: string; against?: string },
): Ratio => ({
  ...{ goal, against: "", value, spread: 0, target, better: "less", pass: value <= target },
  ...more,
});

/** Pair by pair, then the median. */
export function ratioOf(samples: Samples, { goal, cost, by, atMost, atLeast }: Question): Ratio {
  const value = medianRatio(samples.of(cost), samples.of(by));
  const first = samples.of(samples.names[0] ?? "");
  const apart = samples.again.map((again, index) => Math.abs(again / (first[index] ?? Number.NaN) - 1));
  const side = (name: string): Side => ({ name, p50: quantile(samples.of(name), 0.5) });
  const sides = atLeast === undefined ? { ours: side(cost), theirs: side(by) } : { ours: side(by), theirs: side(cost) };
  const ratio: Ratio = { goal, against: by, value, spread: quantile(apart, 0.75), sides };
  const target = atMost ?? atLeast;
  if (target === undefined) return ratio;
  const better = atMost === undefined ? "more" : "less";
  return { ...ratio, target, better, pass: better === "more" ? value >= target : value <= target };
}

const medianRatio = (cost: readonly number[], by: readonly number[]): number =>
  quantile(
    cost.map((one, index) => one / (by[index] ?? Number.NaN)),
    0.5,
  );
