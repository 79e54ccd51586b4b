/**
 * What is counted and measured: one small registry that OTLP sends, and that Prometheus reads as text. Series are bounded, whatever
 * events are called.
 */
interface Described {
  /** As OpenTelemetry writes it, with dots. */
  name: string;
  help: string;
  unit?: "s" | "By";
}
/** A value of each label, in their order. */
export type LabelValues = readonly string[];
export interface Point {
  labels: LabelValues;
  value: number;
}
export interface Distribution {
  labels: LabelValues;
  count: number;
  sum: number;
  /** How many fell under each bound and above the one before; one more than there are bounds. */
  buckets: readonly number[];
}
export type Measure = Described & { labels: readonly string[] } & (
    | { kind: "counter" | "gauge"; points: readonly Point[] }
    | { kind: "histogram"; bounds: readonly number[]; points: readonly Distribution[] }
  );

export interface Measures {
  /** Gives what adds to it. */
  counter(described: Described, labels: readonly string[]): (labels: LabelValues, by?: number) => void;
  /** Gives what puts a value in. */
  histogram(described: Described, labels: readonly string[]): (labels: LabelValues, value: number) => void;
  /** Asked at each read; what throws is left out this time. */
  gauge(described: Described, labels: readonly string[], read: () => readonly Point[]): void;
  /** The same, where it only ever grows. */
  grown(described: Described, labels: readonly string[], read: () => readonly Point[]): void;
  read(): Measure[];
}

/** Seconds: from a guard that answers at once to a check that runs for minutes. */
const bounds: readonly number[] = [
  0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600,
];
/** Of one measure. Anybody may send events of any name: what is beyond is counted together. */
const seriesAtMost = 1_000;
export const beyond = "(others)";

export function createMeasures(): Measures {
  const all: (() => Measure)[] = [];

  function put(
    described: Described,
    labels: readonly string[],
    kind: "counter" | "gauge",
    read: () => readonly Point[],
  ): void {
    all.push(() => ({ ...described, labels, kind, points: readOr(read) }));
  }

  return {
    counter(described, labels) {
      const series = createSeries(labels, (values): Point => ({ labels: values, value: 0 }));
      put(described, labels, "counter", series.all);
      return (values, by = 1) => {
        series.at(values).value += by;
      };
    },
    histogram(described, labels) {
      const series = createSeries(labels, (values) => ({
        ...{ labels: values, count: 0, sum: 0 },
        buckets: new Array<number>(bounds.length + 1).fill(0),
      }));
      all.push(() => ({ ...described, labels, kind: "histogram", bounds, points: series.all() }));
      return (values, value) => {
        const one = series.at(values);
        const bucket = bounds.findIndex((bound) => value <= bound);
        const index = bucket === -1 ? bounds.length : bucket;
        one.count += 1;
        one.sum += value;
        one.buckets[index] = (one.buckets[index] ?? 0) + 1;
      };
    },
    gauge: (described, labels, read) => put(described, labels, "gauge", read),
    grown: (described, labels, read) => put(described, labels, "counter", read),
    read: () => all.map((one) => one()).filter(({ points }) => points.length > 0),
  };
}

function createSeries<T>(
  labels: readonly string[],
  make: (values: LabelValues) => T,
): { at(values: LabelValues): T; all(): T[] } {
  const series = new Map<string, T>();
  const others = labels.map(() => beyond);
  function at(values: LabelValues): T {
    const key = values.length === 1 ? (values[0] ?? "") : values.join("\0");
    const known = series.get(key);
    if (known) return known;
    if (series.size >= seriesAtMost && values !== others) return at(others);
    const made = make(values);
    series.set(key, made);
    return made;
  }
  return { at, all: () => [...series.values()] };
}

/** A store that cannot be read says so elsewhere. */
function readOr(read: () => readonly Point[]): readonly Point[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** Prometheus's text format, version 0.0.4; names are as OpenTelemetry's rules turn them into Prometheus's. */
export const prometheusType = "text/plain; version=0.0.4; charset=utf-8";

const units = { s: "_seconds", By: "_bytes" } as const;

export const prometheusText = (measures: readonly Measure[]): string => measures.map(textOf).join("");

function textOf(measure: Measure): string {
  const { unit, kind, help } = measure;
  const name = `${measure.name.replaceAll(".", "_")}${unit ? units[unit] : ""}${kind === "counter" ? "_total" : ""}`;
  const head = `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${kind}\n`;
  return head + linesOf(name, measure).join("");
}

function linesOf(name: string, measure: Measure): string[] {
  const line = (suffix: string, labels: LabelValues, value: number, bound?: string): string =>
    `${name}${suffix}${labelsOf(measure.labels, labels, bound)} ${numberOf(value)}\n`;
  if (measure.kind !== "histogram") return measure.points.map(({ labels, value }) => line("", labels, value));
  return measure.points.flatMap(({ labels, count, sum, buckets }) => {
    let under = 0;
    const cumulated = measure.bounds.map((bound, index) => {
      under += buckets[index] ?? 0;
      return line("_bucket", labels, under, String(bound));
    });
    return [
      ...cumulated,
      line("_bucket", labels, count, "+Inf"),
      line("_sum", labels, sum),
      line("_count", labels, count),
    ];
  });
}

function labelsOf(names: readonly string[], values: LabelValues, bound: string | undefined): string {
  const pairs = names.map((name, index) => `${name}="${escaped(values[index] ?? "")}"`);
  if (bound !== undefined) pairs.push(`le="${bound}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Half a character is none in UTF-8. */
const escaped = (value: string): string =>
  value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

const numberOf = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
