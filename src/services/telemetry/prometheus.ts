/** Measures in the text format that Prometheus reads, version 0.0.4; names as OpenTelemetry's rules turn them into Prometheus's. */
import type { LabelValues, Measure } from "./measures.ts";

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
