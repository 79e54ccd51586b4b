/** A clock that stands still until a test moves it: the `clock` of createHookline, and of anything that takes these ports. */
import type { Instant } from "../src/engine/event.ts";
import type { Ports } from "../src/engine/ports.ts";

export interface FakeClock extends Pick<Ports, "now" | "after"> {
  /** Moves time on and calls back whatever is due, in order of its time. */
  advance(milliseconds: number): void;
}

/**
 * Stands still until `advance` moves it.
 *
 * @example
 * const clock = createFakeClock();
 * clock.after(5_000, () => console.log("five seconds later"));
 * clock.advance(5_000);
 */
export function createFakeClock(start: Instant = Date.UTC(2026, 0, 1)): FakeClock {
  let time = start;
  const waiting = new Set<{ due: Instant; callback: () => void }>();
  const next = (until: Instant): { due: Instant; callback: () => void } | undefined =>
    [...waiting].filter(({ due }) => due <= until).sort((left, right) => left.due - right.due)[0];
  return {
    now: () => time,
    after(milliseconds, callback) {
      const timer = { due: time + milliseconds, callback };
      waiting.add(timer);
      return () => void waiting.delete(timer);
    },
    advance(milliseconds) {
      const until = time + milliseconds;
      for (let timer = next(until); timer; timer = next(until)) {
        waiting.delete(timer);
        time = timer.due;
        timer.callback();
      }
      time = until;
    },
  };
}
