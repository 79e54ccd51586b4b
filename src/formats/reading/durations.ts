/** Durations as people write them, such as 5m, in the fields that count seconds: numbers from here on, whatever the format. */
import type { Fields, Json, Seconds } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Finding, Member } from "./tree.ts";

const units: readonly { name: RegExp; seconds: number }[] = [
  { name: /^d(?:ays?)?$/, seconds: 86_400 },
  { name: /^h(?:rs?|ours?)?$/, seconds: 3_600 },
  { name: /^m(?:ins?|inutes?)?$/, seconds: 60 },
  { name: /^s(?:ecs?|econds?)?$/, seconds: 1 },
  { name: /^(?:ms|milliseconds?)$/, seconds: 0.001 },
];

/** Numbers with units, the larger before the smaller: 5m, 2h30m, 1.5 hours. Undefined: it is none, or has no length. Never throws. */
export function secondsIn(written: string): Seconds | undefined {
  const text = written.trim().toLowerCase();
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?\s*[a-z]{1,12}\s*){1,5}$/.test(text)) return undefined;
  let sum = 0;
  let before = -1;
  for (const [, count, word = ""] of text.matchAll(/([\d.]+)\s*([a-z]+)/g)) {
    const unit = units.findIndex(({ name }) => name.test(word));
    if (unit <= before) return undefined;
    before = unit;
    sum += Number(count) * (units[unit]?.seconds ?? 0);
  }
  return sum > 0 ? Math.round(sum * 1000) / 1000 : undefined;
}

/** As it stands in the JSON Schemas. */
export const durationPattern = "^\\s*(\\d+(\\.\\d+)?\\s*[A-Za-z]+\\s*)+$";

/** The schema of a map whose durations are read: where it counts seconds, 5m may be written too. */
export function takingDurations(schema: Fields): Fields {
  if (!isRecord(schema.properties)) return schema;
  const properties = Object.entries(schema.properties as Fields).map(([key, one]): [string, Json] => {
    // a schema is JSON
    if (!counted.has(key) || !isRecord(one) || (one.type !== "number" && one.type !== "integer")) return [key, one];
    const { description, default: usual, ...number } = one as Fields; // as above
    const about = { ...(description !== undefined && { description }), ...(usual !== undefined && { default: usual }) };
    return [key, { anyOf: [number, { type: "string", pattern: durationPattern }], ...about }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** The fields in which every format counts seconds. */
const counted: ReadonlySet<string> = new Set([
  "cooldown",
  "timeout",
  "timeoutSec",
  "cooldown_seconds",
  "timeout_seconds",
  "interval_seconds",
]);

/** Of a map in a file: what is written as a duration becomes its seconds in the tree. */
export function readDurations(members: Iterable<Member>): void {
  for (const { key, value } of members) {
    const seconds = counted.has(key) && typeof value.value === "string" ? secondsIn(value.value) : undefined;
    if (seconds !== undefined) Object.assign(value, { type: "number", value: seconds });
  }
}

/** The same of a map that came as JSON. */
export const withDurations = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]): [string, Json] => [
      key,
      counted.has(key) && typeof value === "string" ? (secondsIn(value) ?? value) : value,
    ]),
  );

/** No hook waits so many seconds; authors who write it mean milliseconds. */
export const surelyMilliseconds = 1000;

/** Of a limit that is most likely written in the wrong unit. @param what the limit as it is written, such as: "timeout": 5000 */
export const warnOfUnit = (what: string, limit: Seconds): Finding => ({
  severity: "warning",
  code: "timeout-unit",
  message: `${what} are ${Math.round(limit / 60)} minutes: it counts seconds, and this looks like milliseconds`,
  suggestion: `write ${Math.max(1, Math.round(limit / 1000))}`,
});
