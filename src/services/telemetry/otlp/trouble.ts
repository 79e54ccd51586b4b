/** Whether a collector takes one signal: a person hears once when it begins not to, and once when it does again, with what was lost. */
import type { Instant } from "../../../engine/event.ts";
import { oneLine } from "../../../engine/one-line.ts";

interface TroubleOptions {
  /** "spans" or "metrics", and where they go. */
  what: string;
  collector: string;
  now(): Instant;
  complain(reason: string): void;
}

export interface Trouble {
  /** @param becomes of what was not taken, in a clause; absent: it is said elsewhere */
  fails(reason: string, becomes?: string): void;
  works(): void;
  /** Gone for good. */
  lose(count: number): void;
  lost(): number;
  reason(): string | undefined;
}

/** A collector that takes some and not others is not reported each time. */
const saysAgainAfterInMs = 900_000;

export function createTrouble({ what, collector, now, complain }: TroubleOptions): Trouble {
  let trouble: string | undefined;
  let saidAt = Number.NEGATIVE_INFINITY;
  let isSaid = false;
  let lost = 0;
  let lostBefore = 0;
  return {
    fails(reason, becomes) {
      if (becomes !== undefined && trouble === undefined && now() - saidAt >= saysAgainAfterInMs) {
        complain(`telemetry: ${collector} takes no ${what}: ${oneLine(reason)}; ${becomes}`);
        saidAt = now();
        isSaid = true;
      }
      trouble = reason;
    },
    works() {
      trouble = undefined;
      if (!isSaid) return;
      isSaid = false;
      const meanwhile = lost - lostBefore;
      lostBefore = lost;
      complain(`telemetry: ${collector} takes ${what} again${meanwhile > 0 ? `; ${meanwhile} were lost` : ""}`);
    },
    lose(count) {
      lost += count;
    },
    lost: () => lost,
    reason: () => trouble,
  };
}
