/** min_duration: what the event tells of took at least so long (specification 001, min_duration_ms). */
import type { HookEvent } from "../engine/event.ts";
import type { ConditionKind } from "../engine/ports.ts";
import { number, object, say } from "../engine/schema.ts";

export interface MinDurationParams {
  ms: number;
}

const durationOf = ({ data }: HookEvent): number | undefined =>
  typeof data.duration_ms === "number" ? data.duration_ms : undefined;

export const minDuration: ConditionKind<MinDurationParams> = {
  params: object({ ms: say(number(undefined, 0), "milliseconds that it took at least") }),
  compile:
    ({ ms }) =>
    ({ event }) =>
      (durationOf(event) ?? -1) >= ms,
  describe: ({ ms }) => `it took at least ${ms} ms`,
  explain({ ms }, { event }) {
    const took = durationOf(event);
    const fails =
      took === undefined
        ? `nothing says how long it took, and it must be ${ms} ms at least`
        : `it took ${took} ms, fewer than ${ms}`;
    return { holds: `it took ${took} ms, at least ${ms}`, fails };
  },
};
