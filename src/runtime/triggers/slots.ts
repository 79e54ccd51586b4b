/** The moments of a cron pattern, as timers and `explain` ask for them. Apart from the timers: here lies what a change of clocks does to them. */
import { aheadAt, cronCall, putForward } from "../../engine/cron-pattern.ts";
import type { Instant, Seconds } from "../../engine/event.ts";

export interface Slots {
  /** The first one behind this moment; undefined: none ever comes. */
  next(after: Instant): Instant | undefined;
  /** How many lie behind the first moment and not behind the second, as far as is counted, and the newest of them. */
  between(after: Instant, until: Instant): { count: number; newest?: Instant };
  /** The newest one up to this moment, itself included. */
  newest(until: Instant): Instant | undefined;
  /** All that are due with this one: more than one where clocks went forward over several times of the day. */
  together(slot: Instant): readonly Instant[];
  /** By how much clocks went forward in so many seconds before the moment, where the pattern means times of the day. */
  putForward(slot: Instant, within: Seconds): Seconds;
}

/** Of what was missed: a pattern of seconds has more moments in a night than anybody reads. */
export const countedAtMost = 100;

const second = 1_000;
const secondOf = (at: Instant): Instant => Math.floor(at / second) * second;

/**
 * Of times of the day each comes once a day: those that a change of clocks leaves out come at the change, and one that comes twice counts
 * the first time. A pattern with a wildcard in hour or minute follows the time that passes. Where several times come at one change each is
 * a moment of its own, a millisecond behind the one before it, so that each has its claim and its run.
 *
 * @param zone such as "Europe/Berlin"; without it the machine's own
 * @throws Error with what is wrong with the pattern or the zone
 */
export async function slotsOf(pattern: string, zone: string | undefined): Promise<Slots> {
  const { Cron } = await import("croner"); // only where a hook has a pattern
  const { pattern: read, options, isFixed, isEach } = cronCall(pattern, zone);
  const cron = new Cron(read, options);
  cron.nextRun(); // throws for an unknown zone
  const onWall = new Cron(read, { ...options, timezone: "UTC" });
  const plain: readonly Seconds[] = [0];

  /** The times of the day that are due at this moment of the library, as seconds behind the first that clocks leave out. */
  function timesAt(at: Instant): readonly Seconds[] {
    if (!isEach) return plain;
    const [before, ahead] = [aheadAt(at - second, zone), aheadAt(at, zone)];
    if (ahead <= before) return plain;
    const times: Seconds[] = [];
    const gap = { from: at + before, to: at + ahead };
    for (
      let wall = onWall.nextRun(new Date(gap.from - second))?.getTime();
      wall !== undefined && wall <= gap.to && times.length < countedAtMost;
      wall = onWall.nextRun(new Date(wall))?.getTime()
    )
      times.push((wall - gap.from) / second);
    return times.length > 0 ? times : plain;
  }

  function next(after: Instant): Instant | undefined {
    const at = secondOf(after);
    if (after - at < timesAt(at).length - 1 && newestSecond(after) === at) return after + 1;
    return cron.nextRun(new Date(at + second - 1))?.getTime();
  }
  const newestSecond = (until: Instant): Instant | undefined => cron.previousRuns(1, new Date(until + 1))[0]?.getTime();
  function newest(until: Instant): Instant | undefined {
    const at = newestSecond(until);
    return at === undefined ? undefined : at + Math.min(until - at, timesAt(at).length - 1);
  }

  return {
    next,
    newest,
    between(after, until) {
      let count = 0;
      for (let at = next(after); at !== undefined && at <= until && count < countedAtMost; at = next(at)) count += 1;
      const last = count === 0 ? undefined : newest(until);
      return { count, ...(last === undefined ? {} : { newest: last }) };
    },
    together(slot) {
      const at = secondOf(slot);
      return timesAt(at).map((_time, index) => at + index);
    },
    putForward(slot, within) {
      if (!isFixed || within === 0) return 0;
      const at = secondOf(slot);
      const times = timesAt(at);
      return times === plain ? putForward(at - within * second, at, zone) : (times[slot - at] ?? 0);
    },
  };
}
