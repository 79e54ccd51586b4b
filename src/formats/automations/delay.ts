/** Delays as people write them, such as 2h30m: how long from now a one-shot waits (AT45). Apart because files, operations and the schedule read them. */
import type { Seconds } from "../../engine/event.ts";

/** In each of them, in the order in which they are written. */
const units = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;

/** What a delay looks like, for messages. */
export const delayExamples = "30s, 5m, 2h, 1d, 2h30m, or seconds such as 120";

/** Undefined: it is no delay, or one of no length. Never throws. */
export function delayOf(written: string): Seconds | undefined {
  const text = written.trim().toLowerCase();
  const found = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/.exec(text);
  const plain = /^\d{1,12}$/.test(text) ? Number(text) : undefined;
  const seconds =
    plain ?? Object.values(units).reduce((sum, unit, index) => sum + unit * Number(found?.[index + 1] ?? 0), 0);
  return seconds > 0 ? seconds : undefined;
}
