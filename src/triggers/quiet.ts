/** Waits until nothing has happened for a while, and at the latest until a longer while after the first (R24). */
import type { Instant } from "../core/event.ts";
import type { Ports } from "../core/ports.ts";

export interface Quiet {
  /** Something happened: it is waited so many milliseconds more, in all at most so many. */
  push(wait: number, atMost: number): void;
  /** What was waited for is dropped. */
  stop(): void;
}

/** One timer, however often something happens. A clock that is set back ends the wait. */
export function createQuiet({ now, after }: Pick<Ports, "now" | "after">, callback: () => void): Quiet {
  let window: { first: Instant; due: Instant; wait: number } | undefined;
  let cancel: (() => void) | undefined;

  function arm(milliseconds: number): void {
    cancel = after(Math.max(0, milliseconds), () => {
      cancel = undefined;
      const left = window ? window.due - now() : 0;
      if (window && left > 0 && left <= window.wait) return arm(left);
      window = undefined;
      callback();
    });
  }

  return {
    push(wait, atMost) {
      const moment = now();
      const first = Math.min(window?.first ?? moment, moment);
      window = { first, due: Math.min(moment + wait, first + atMost), wait };
      if (!cancel) arm(window.due - moment);
    },
    stop() {
      cancel?.();
      cancel = undefined;
      window = undefined;
    },
  };
}
