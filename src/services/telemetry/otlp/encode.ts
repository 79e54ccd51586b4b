/** The JSON form of OTLP 1.x, as far as Hookline sends it: attributes, the resource, metrics. 64-bit numbers are texts in it. */
import type { Fields, Instant } from "../../../engine/event.ts";
import type { Measure } from "../measures.ts";

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What is undefined is left out. */
export const attributesOf = (attributes: Attributes): Fields[] =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : { key, value: anyValueOf(value) }));

function anyValueOf(value: string | number | boolean): Fields {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

export const nanoseconds = (at: Instant): string => `${Math.max(0, Math.round(at))}000000`;

/** Who sends. */
export interface Sender {
  resource: Attributes;
  version: string;
  /** Counters count from then on. */
  since: Instant;
}

const scopeOf = ({ version }: Sender): Fields => ({ name: "hookline", version });
const resourceOf = ({ resource }: Sender): Fields => ({ attributes: attributesOf(resource) });

export const tracesOf = (spans: readonly Fields[], sender: Sender): Fields => ({
  resourceSpans: [{ resource: resourceOf(sender), scopeSpans: [{ scope: scopeOf(sender), spans: [...spans] }] }],
});

export const metricsOf = (measures: readonly Measure[], sender: Sender, now: Instant): Fields => {
  const times = { startTimeUnixNano: nanoseconds(sender.since), timeUnixNano: nanoseconds(now) };
  const metrics = measures.map((measure) => metricOf(measure, times));
  return {
    resourceMetrics: [{ resource: resourceOf(sender), scopeMetrics: [{ scope: scopeOf(sender), metrics }] }],
  };
};

/** Sums since the start. */
const cumulative = 2;

function metricOf(measure: Measure, times: Fields): Fields {
  const { name, help, unit = "1", labels } = measure;
  const labelled = (values: readonly string[]): Fields => ({
    ...times,
    attributes: attributesOf(Object.fromEntries(labels.map((label, index) => [label, values[index]]))),
  });
  const head = { name, description: help, unit };
  if (measure.kind === "histogram") {
    const dataPoints = measure.points.map(({ labels: values, count, sum, buckets }) => ({
      ...labelled(values),
      ...{ count: String(count), sum, bucketCounts: buckets.map(String), explicitBounds: [...measure.bounds] },
    }));
    return { ...head, histogram: { aggregationTemporality: cumulative, dataPoints } };
  }
  const dataPoints = measure.points.map(({ labels: values, value }) => ({ ...labelled(values), asDouble: value }));
  if (measure.kind === "gauge") return { ...head, gauge: { dataPoints } };
  return { ...head, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } };
}
