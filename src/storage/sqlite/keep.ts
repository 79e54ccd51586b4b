/** What is kept of payloads and outputs, and how: redacted, and cut where they are larger than the setting (D12, R55). */
import { firstTurn, type HookEvent, type Json, type Turn } from "../../engine/event.ts";
import { isEmpty, type Outcome } from "../../engine/outcome.ts";
import type { StepRecord } from "../../engine/record.ts";

/**
 * redacted: payloads up to the limit, and the first 2 kB of each text that a handler put out, or 64 kB where one failed (R83).
 * full: those texts as well, up to the limit. none: neither payloads nor texts. Secrets are redacted in all three.
 */
export type Recording = "redacted" | "full" | "none";

export interface Keeping {
  record?: Recording;
  /** Replaces secrets, also inside JSON text, which stays valid (trust/redaction). */
  redact?(text: string): string;
  /** Of each payload, as JSON; default: 256 kB. */
  payloadLimitInBytes?: number;
}

export interface Kept {
  text: string;
  cut: boolean;
  redacted: boolean;
}

/** The fields of an event that have no column of their own. */
export type Payload = Omit<HookEvent, "id" | "at" | "name" | "session" | "cwd" | "sender" | "delivery" | "turn">;

export interface Keeper {
  payload(payload: Payload): Kept;
  /** Of the session, which conditions go on reading. */
  turn(turn: Turn): Kept;
  /** Of an event's row, for the record only. */
  turnThen(turn: Turn): Kept;
  outcome(outcome: Outcome): Kept;
  steps(steps: readonly StepRecord[]): Kept;
  /** Uncut: hook sets, findings, and answers that have not been delivered yet. */
  whole(value: object): string;
  text(text: string): string;
}

/** Of each payload, as JSON. */
export const usualPayloadLimitInBytes = 262_144;
const outputLimitInCharacters = 2_048;
const failedOutputLimitInCharacters = 65_536;
const turnLimitInBytes = 65_536;

export function createKeeper({
  record = "redacted",
  redact,
  payloadLimitInBytes = usualPayloadLimitInBytes,
}: Keeping): Keeper {
  const text = redact ?? ((given: string): string => given);

  /** Redacts before it cuts: half a secret has no shape. */
  function keep(value: object, limitInBytes: number): Kept {
    const written = stringify(value);
    if (written === undefined) return { text: Array.isArray(value) ? "[]" : '{"data":{}}', cut: true, redacted: false };
    const clean = text(written);
    const kept = shorten(clean, limitInBytes);
    return { text: kept, cut: kept !== clean, redacted: clean !== written };
  }

  let first: Kept | undefined; // of every event without a session
  const turn = (value: Turn): Kept => {
    if (value !== firstTurn) return keep(value, turnLimitInBytes);
    first ??= keep(value, turnLimitInBytes);
    return first;
  };
  const outputs: Record<Recording, (steps: readonly StepRecord[]) => Kept> = {
    full: (steps) => keep(steps, payloadLimitInBytes),
    none: (steps) => keep(steps.map(withoutOutput), payloadLimitInBytes),
    redacted(steps) {
      const kept = keep(steps, payloadLimitInBytes);
      const limit = steps.every(({ ok }) => ok) ? outputLimitInCharacters : failedOutputLimitInCharacters;
      return kept.text.length > limit ? { ...kept, text: withHeads(kept.text, limit) } : kept;
    },
  };
  return {
    turn,
    turnThen: record === "none" ? (value) => turn({ ...value, prompt: "", answer: "" }) : turn,
    payload: (payload) =>
      record === "none"
        ? { ...keep({ ...payload, data: {} }, payloadLimitInBytes), cut: true }
        : keep(payload, payloadLimitInBytes),
    outcome: (outcome) => (isEmpty(outcome) ? noOutcome : keep(outcome, payloadLimitInBytes)),
    steps: (steps) => (steps.length === 0 ? noSteps : outputs[record](steps)),
    whole: (value) => text(JSON.stringify(value)),
    text,
  };
}

const noOutcome: Kept = { text: "{}", cut: false, redacted: false };
const noSteps: Kept = { text: "[]", cut: false, redacted: false };

const withoutOutput = ({ output: _output, evidence: _evidence, ...step }: StepRecord): StepRecord => ({
  ...step,
  output: {},
});

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

/** The same JSON with no text longer than this, apart from the words that mark the cut. */
const withShortTexts = (json: string, length: number): string =>
  JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
    typeof value === "string" ? headOf(value, length) : value,
  );

const headOf = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}…[cut ${Buffer.byteLength(text.slice(length))} bytes]`;

/** What is kept of handlers' outputs: the head of each text, and the hash of the whole, which distinguishes two outputs. */
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
