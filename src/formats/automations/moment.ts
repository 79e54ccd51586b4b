/** The moment of a one-shot: a date, or a delay such as 2h30m that becomes one when the automation is made (AT45). */
import type { Fields, Instant, Seconds } from "../../engine/event.ts";
import { secondsIn } from "../reading/durations.ts";
import type { Findings } from "./findings.ts";

/** What a delay looks like, for messages. */
export const delayExamples = "30s, 5m, 2h, 1d, 2h30m, or seconds such as 120";

/** Undefined: it is no delay, or one of no length. Never throws. */
export function delayOf(written: string): Seconds | undefined {
  const text = written.trim().toLowerCase();
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : (secondsIn(text) ?? 0);
  return seconds > 0 ? seconds : undefined;
}

interface MomentContext {
  path: readonly (string | number)[];
  findings: Findings;
  /** When the automation is made; absent: it was made before. */
  now?: Instant;
  /** Whether one that has passed is right: it does nothing any more. */
  mayBePast?(moment: Instant): boolean;
}

/** Undefined: it is invalid, which is reported. */
export function readMoment({ at, in: delay }: Fields, context: MomentContext): Instant | undefined {
  const moment = momentMeant({ at, in: delay }, context);
  if (moment === undefined || moment <= lastMoment) return moment;
  const path = [...context.path, at === undefined ? "in" : "at"];
  const message = "the moment lies after the year 9999";
  context.findings.error(path, { code: "wrong-type", message, suggestion: "write an earlier one" });
  return undefined;
}

/** Later ones have more digits than a moment that is read again. */
const lastMoment: Instant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function momentMeant({ at, in: delay }: Partial<Fields>, context: MomentContext): Instant | undefined {
  const { path, findings } = context;
  if (at !== undefined && delay !== undefined) {
    const message = 'a one-shot has a moment or a delay, not both: "at" and "in"';
    findings.error([...path, "in"], { code: "shape", message, suggestion: "remove one", ofKey: true });
    return undefined;
  }
  if (typeof at === "string") return momentAt(at, context);
  if (typeof delay === "string") return momentAfter(delay, context);
  const message = 'the trigger needs "at"';
  findings.error(path, { code: "missing-field", message, suggestion: "write at: 2030-01-31T08:00:00Z, or in: 2h" });
  return undefined;
}

function momentAt(written: string, { path, findings, now, mayBePast }: MomentContext): Instant | undefined {
  const moment = instantOf(written);
  if (moment === undefined) {
    const message = `"${written}" is no moment`;
    const suggestion = "write a date and a time, such as 2030-01-31T08:00:00Z";
    findings.error([...path, "at"], { code: "wrong-type", message, suggestion });
    return undefined;
  }
  if (now === undefined || moment > now || mayBePast?.(moment)) return moment;
  const message = `the moment has to lie in the future, and ${new Date(moment).toISOString()} is past`;
  findings.error([...path, "at"], { code: "wrong-type", message, suggestion: "write a later one, or in: 5m" });
  return undefined;
}

function momentAfter(written: string, context: MomentContext): Instant | undefined {
  const { path, findings, now } = context;
  const delay = delayOf(written);
  if (delay === undefined) {
    const message = `"${written}" is no delay`;
    findings.error([...path, "in"], { code: "wrong-type", message, suggestion: `write ${delayExamples}` });
    return undefined;
  }
  if (now !== undefined) return now + delay * 1000;
  const message = '"in" counts from when an automation is made, and what lies in a file was not made at any moment';
  const suggestion = "write at: with a date and a time, or make it with hookline automation create or apply";
  findings.error([...path, "in"], { code: "shape", message, suggestion, ofKey: true });
  return undefined;
}

const isoMoment = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s*(?:Z|[+-]\d\d:?\d\d)?)?$/i;

/** A date that there is, with a time or without; without a zone it is this machine's. */
export function instantOf(written: string): Instant | undefined {
  const text = written.trim();
  const [, year, month, day] = isoMoment.exec(text) ?? [];
  if (day === undefined) return undefined;
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return undefined;
  const moment = Date.parse(
    (text.length > "2030-01-31".length ? text : `${text}T00:00`) // a date alone would be one of Greenwich
      .replace(" ", "T")
      .replace(/\s+/g, "")
      .replace(/([+-]\d\d)(\d\d)$/, "$1:$2"),
  );
  return Number.isNaN(moment) ? undefined : moment;
}
