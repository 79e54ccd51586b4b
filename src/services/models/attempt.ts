/** One request, tried again where that may help and there is time: at most twice, as long as the server asked, or a little longer each time. */
import type { Instant } from "../../engine/event.ts";
import type { Ports } from "../../engine/ports.ts";
import { type Failure, failureOf } from "./failure.ts";

export type Clock = Pick<Ports, "now" | "after">;

/** How long an attempt may go on. */
export interface Patience {
  signal: AbortSignal;
  deadline?: Instant;
}

const mostRetries = 2;
const firstPause = 500;
/** Where no deadline is known, nobody waits longer than this for another try. */
const longestPause = 60_000;

/** Answers with a failure instead of throwing: who asked knows more about it. */
export async function attempt<T>(
  clock: Clock,
  { signal, deadline }: Patience,
  work: () => Promise<T>,
): Promise<{ value: T } | { failure: Failure }> {
  for (let tries = 0; ; tries++) {
    if (signal.aborted) return { failure: stopped(signal, clock, deadline) };
    try {
      return { value: await work() };
    } catch (error) {
      if (signal.aborted) return { failure: stopped(signal, clock, deadline) };
      const failure = failureOf(error, clock.now());
      const pause = failure.retryAfter === undefined ? firstPause * 2 ** tries : failure.retryAfter * 1000;
      const end = deadline ?? clock.now() + longestPause;
      if (!failure.passing || tries === mostRetries || clock.now() + pause >= end) return { failure };
      await waited(clock, pause, signal);
    }
  }
}

/** Why the work was given up. */
export function stopped(signal: AbortSignal, clock: Clock, deadline: Instant | undefined): Failure {
  const { reason } = signal;
  const late = (reason instanceof Error && reason.name === "TimeoutError") || clock.now() >= (deadline ?? Infinity);
  return late
    ? { kind: "timeout", reason: "it did not answer in time" }
    : { kind: "aborted", reason: "the caller gave up" };
}

const waited = (clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      undo();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const undo = clock.after(milliseconds, end);
    signal.addEventListener("abort", end, { once: true });
  });
