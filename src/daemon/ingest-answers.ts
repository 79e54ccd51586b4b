/** How the intake answers: one event with what came of it, many with a line for each. */
import type { Run } from "../core/record.ts";
import type { Answer } from "./ingest.ts";
import { type Refused, refused, refusedBy } from "./refusals.ts";

export interface Told {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** To `POST /events` with one event. */
export function toldOne(answer: Answer): Told {
  if (!("taken" in answer)) return toldRefused(refusedOf(answer));
  const { event, outcome, runs } = answer.taken;
  return { status: 200, headers: {}, body: JSON.stringify({ event, outcome, runs: runs.map(brief) }) };
}

export const toldRefused = ({ status, headers, error }: Refused): Told => ({
  status,
  headers,
  body: JSON.stringify({ error }),
});

/** To one line among many, as JSON without a line break. */
export function toldLine(answer: Answer): string {
  if ("taken" in answer) return `{"ok":true,"event":"${answer.taken.event}"}`; // an id of ours: [0-9a-z]
  return JSON.stringify({ ok: false, error: refusedOf(answer).error });
}

const refusedOf = (answer: Exclude<Answer, { taken: unknown }>): Refused =>
  "thrown" in answer ? refusedBy(answer.thrown) : refused(answer.refused, answer.message);

export const brief = ({ id, hook, status, reason }: Run): object => ({ id, hook, status, reason: reason ?? null });
