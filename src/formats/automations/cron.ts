/** Cron patterns as the schedule will read them. Apart because the library behind it costs a start, and events need none. */
import { Cron } from "croner";
import { cronCall, putForward } from "../../engine/cron-pattern.ts";
import { messageOf } from "../../engine/error.ts";
import type { Seconds } from "../../engine/event.ts";

export interface CronReading {
  /** Why it is no pattern, or none that ever comes. */
  fault?: string;
  /** The shortest time between its next few moments; of times of the day, as clocks show it. */
  gap?: Seconds;
}

/** Enough to see workdays and hours of a day. */
const momentsLookedAt = 8;
/** What a change of clocks leaves out comes right behind it: so much nearer to the next one. */
const hour = 3_600_000;

/** Never throws. @param zone one that the system knows */
export function readCron(pattern: string, zone: string | undefined): CronReading {
  if (/^\s*\d{4}-\d\d-\d\d/.test(pattern)) return { fault: "it is a moment, which comes once: write type: at" };
  try {
    const { pattern: read, options, isFixed } = cronCall(pattern, zone);
    const cron = new Cron(read, options);
    const moments = cron.nextRuns(momentsLookedAt).map((moment) => moment.getTime());
    if (moments.length === 0) return { fault: "no day ever fits it" };
    const gaps = moments.slice(1).map((moment, index) => {
      const before = moments[index] ?? 0;
      return (moment - before) / 1000 + (isFixed ? putForward(before - hour, moment, zone) : 0);
    });
    return gaps.length === 0 ? {} : { gap: Math.min(...gaps) };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const said = messageOf(error).replace(/^Cron\w*: /, "");
  return `${said.charAt(0).toLowerCase()}${said.slice(1).replace(/[.\s]+$/, "")}`;
}
