/** Makes JSON text fit into a number of bytes: long texts keep their head, then large lists and deep objects are thinned. */
import type { Json } from "../core/event.ts";

/** JSON text of the value, or undefined where it is nested deeper than can be written. */
export function stringify(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // too deep for the stack; nothing else is caught
    throw error;
  }
}

/** The same JSON if it fits, else a shorter one that says in its texts what was cut. Always valid JSON. */
export function shorten(json: string, limitInBytes: number): string {
  if (fits(json, limitInBytes)) return json;
  const shortest = withShortTexts(json, 64);
  if (fits(shortest, limitInBytes)) {
    for (const length of [16_384, 4_096, 1_024, 256]) {
      const shorter = withShortTexts(json, length);
      if (fits(shorter, limitInBytes)) return shorter;
    }
    return shortest;
  }
  for (const [entries, depth] of thinner) {
    const thin = JSON.stringify(thinned(JSON.parse(json), entries, depth));
    if (fits(thin, limitInBytes)) return thin;
  }
  return json.startsWith("[") ? "[]" : '{"data":{}}';
}

/** Entries of each list or object, and how deep. */
const thinner = [
  [1_000, 16],
  [100, 8],
  [20, 5],
  [8, 3],
] as const;

// A character takes at most three bytes in UTF-8 (a pair of two takes four), so most texts need no counting.
const fits = (text: string, limitInBytes: number): boolean =>
  text.length * 3 <= limitInBytes || (text.length <= limitInBytes && Buffer.byteLength(text) <= limitInBytes);

/** The same JSON with no text longer than this, apart from the words that tell of the cut. */
const withShortTexts = (json: string, length: number): string =>
  JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
    typeof value === "string" ? headOf(value, length) : value,
  );

const headOf = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}…[cut ${Buffer.byteLength(text.slice(length))} bytes]`;

/** What is kept of handlers' outputs: the head of each text, and the hash of the whole, which tells two outputs apart. */
export const withHeads = (json: string, length: number): string =>
  JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
    typeof value === "string" && value.length > length ? `${headOf(value, length)} sha256 ${hashOf(value)}` : value,
  );

// Loaded here: most runs put out little, and the hot path need not pay for it.
const hashOf = (text: string): string => process.getBuiltinModule("node:crypto").hash("sha256", text);

function thinned(value: Json, entries: number, depth: number): Json {
  if (typeof value === "string") return headOf(value, 64);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…[cut: nested too deeply]";
  if (Array.isArray(value)) return value.slice(0, entries).map((one) => thinned(one, entries, depth - 1));
  const kept = Object.entries(value).slice(0, entries);
  return Object.fromEntries(kept.map(([key, one]) => [headOf(key, 256), thinned(one, entries, depth - 1)]));
}
