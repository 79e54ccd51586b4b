/** The moments of a cron pattern. Apart because the library behind it is loaded only where a hook has one. */
import { Cron } from "croner";
import type { Instant } from "../core/event.ts";

export interface Slots {
  /** The first one behind this moment; undefined: none ever comes. */
  next(after: Instant): Instant | undefined;
  /** The newest one up to this moment, itself included. */
  newest(until: Instant): Instant | undefined;
}

/**
 * A time that a change of clocks leaves out comes right behind it, and one that comes twice counts once, unless the pattern
 * is for every hour.
 *
 * @param zone such as "Europe/Berlin"; without it the machine's own
 * @throws Error with what is wrong with the pattern or the zone
 */
export function slotsOf(pattern: string, zone: string | undefined): Slots {
  const cron = new Cron(pattern, { paused: true, ...(zone === undefined ? {} : { timezone: zone }) });
  cron.nextRun(); // a zone that nobody knows is found out here
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
    newest: (until) => cron.previousRuns(1, new Date(until + 1))[0]?.getTime(),
  };
}
