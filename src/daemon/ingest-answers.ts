/** How the intake answers: one event with what came of it, many with a line for each. */
import type { Outcome } from "../core/outcome.ts";
import type { Run } from "../core/record.ts";
import type { CallAnswer } from "./call.ts";
import type { Answer } from "./ingest.ts";
import { type Refused, refused, refusedBy } from "./refusals.ts";

const json = { "content-type": "application/json" };
const jsonLines = { "content-type": "application/x-ndjson" };

/** To `POST /events` with one event. */
export function toldOne(answer: Answer): CallAnswer {
  if (!("taken" in answer)) return toldRefused(refusedOf(answer));
  const { event, outcome, runs } = answer.taken;
  const body = saysNothing(outcome)
    ? `{"event":"${event}","outcome":{},"runs":${runs.length === 0 ? "[]" : JSON.stringify(runs.map(brief))}}` // an id of ours: [0-9a-z]
    : JSON.stringify({ event, outcome, runs: runs.map(brief) });
  return { status: 200, headers: json, body };
}

function saysNothing(outcome: Outcome): boolean {
  for (const _name in outcome) return false;
  return true;
}

/** What stands in the body of many is each one's own: that one was refused is no failure of the others. */
export const toldMany = (body: string, form: "list" | "lines"): CallAnswer => ({
  status: 200,
  headers: form === "list" ? json : jsonLines,
  body,
});

export const toldRefused = ({ status, headers, error }: Refused): CallAnswer => ({
  status,
  headers: { ...json, ...headers },
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
