/** What a cron pattern means where clocks are changed (R96), for all that hand one to the library. Apart: rooms that do not know each other read patterns. */
import type { Instant, Seconds } from "./event.ts";

/** What the library is called with. */
export interface CronCall {
  pattern: string;
  options: { paused: true; fixedTimeRule: "no-wildcard"; timezone?: string };
  /** Neither hour nor minute has a wildcard: its times are times of the day, and each comes once a day. */
  isFixed: boolean;
  /** Nor have the seconds: where a change of clocks leaves several of its times out, each comes. */
  isEach: boolean;
}

/** @param zone such as "Europe/Berlin"; without it the machine's own */
export function cronCall(written: string, zone: string | undefined): CronCall {
  const fields = written.trim().split(/\s+/);
  const hours = fields.length > 5 ? 2 : 1;
  const ofDay = fields.slice(hours - 1, hours + 1);
  const isFixed = written.trim().startsWith("@")
    ? written.trim() !== "@hourly"
    : !ofDay.some((one) => /[*?]/.test(one));
  const isExpanded = isFixed && fields.length >= 5;
  const pattern = isExpanded ? fields.map((one, index) => (index <= hours ? asList(one) : one)).join(" ") : written;
  const timezone = zone === undefined ? {} : { timezone: zone };
  const isEach = isFixed && !(hours === 2 && /[*?]/.test(fields[0] ?? ""));
  return { pattern, options: { paused: true, fixedTimeRule: "no-wildcard", ...timezone }, isFixed, isEach };
}

/** The library takes any step for a wildcard; a list is none. The only wildcard that can stand here is that of the seconds. */
const asList = (field: string): string => field.split(",").map(expanded).join(",");

function expanded(part: string): string {
  const found = /^(?:[*?]|(\d+)-(\d+))(?:\/(\d+))?$/.exec(part);
  if (!found) return part;
  const [, from = "0", to = "59", step = "1"] = found;
  const [first, last, width] = [Number(from), Number(to), Number(step)];
  const isMistake = width === 0 || last > 59 || first > last; // the library names it
  return isMistake
    ? part
    : Array.from({ length: Math.floor((last - first) / width) + 1 }, (_none, at) => first + at * width).join();
}

/** By how many seconds clocks in the zone were put forward between the two moments; 0: not at all, or back. */
export const putForward = (from: Instant, to: Instant, zone: string | undefined): Seconds =>
  Math.max(0, aheadAt(to, zone) - aheadAt(from, zone)) / 1000;

/** How far clocks there are ahead of UTC, in milliseconds. */
export const aheadAt = (at: Instant, zone: string | undefined): number => {
  const second = Math.floor(at / 1000) * 1000;
  const shown = new Date(second).toLocaleString("sv-SE", zone === undefined ? {} : { timeZone: zone }); // as ISO 8601 has it
  return Date.parse(`${shown}Z`) - second;
};
