/** The event that tells a hook that its time has come (specification 000, 3.1). */
import type { Fields, HookEvent, Instant } from "../core/event.ts";
import type { Hook } from "../core/hook.ts";
import type { Firing } from "./schedule-timers.ts";

export interface DueFacts extends Firing {
  id: string;
  now: Instant;
  /** When the hook's newest run began; absent: it never ran. */
  last: Instant | undefined;
  /** Where a hook without a workspace runs. */
  home: string;
}

export const dueEvent = (hook: Hook, facts: DueFacts): HookEvent => ({
  id: facts.id,
  name: "schedule.due",
  at: facts.now,
  cwd: hook.origin.root ?? facts.home,
  data: dataOf(facts),
  sender: "schedule",
  to: { hook: hook.id, because: facts.because },
});

const isoOf = (moment: Instant): string => new Date(moment).toISOString();

const dataOf = ({ now, last, scheduledFor }: DueFacts): Fields => ({
  current_time: isoOf(now),
  current_time_epoch: now / 1000,
  ...(last === undefined
    ? {}
    : {
        last_run_time: isoOf(last),
        last_run_time_epoch: last / 1000,
        seconds_since_last_run: Math.max(0, now - last) / 1000,
      }),
  ...(scheduledFor === undefined ? {} : { scheduled_for: isoOf(scheduledFor) }),
});
