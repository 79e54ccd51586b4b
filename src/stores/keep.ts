/** What is kept of payloads and outputs, and how: redacted, and cut where they are larger than the setting (D12, R55). */
import { firstTurn, type HookEvent, type Turn } from "../core/event.ts";
import { isEmpty, type Outcome } from "../core/outcome.ts";
import type { StepRecord } from "../core/record.ts";
import { shorten, stringify, withHeads } from "./shorten.ts";

/**
 * redacted: payloads up to the limit, and the first 2 kB of each text that a handler put out. full: those texts as
 * well, up to the limit. none: neither payloads nor texts. Secrets are redacted in all three.
 */
export type Recording = "redacted" | "full" | "none";

export interface Keeping {
  record?: Recording;
  /** Replaces secrets, also inside JSON text, which stays valid (trust/redaction). */
  redact?(text: string): string;
  /** Of each payload, as JSON; 256 kB unless said. */
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

/** Of each payload, as JSON, unless said. */
export const usualPayloadLimitInBytes = 262_144;
const outputLimitInCharacters = 2_048;
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
      return kept.text.length > outputLimitInCharacters
        ? { ...kept, text: withHeads(kept.text, outputLimitInCharacters) }
        : kept;
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
