/** Failures of a resident program, and how long its next start has to wait for them. */

export interface Failures {
  failed(): void;
  /** It has worked, so that its next failure is a first one again. */
  worked(): void;
  inARow(): number;
  /** Milliseconds until it may be started; 0 or less: now. */
  left(): number;
}

/** Milliseconds before the next start, by the number of failures in a row. The first may have been an accident. */
const delays: readonly number[] = [0, 0, 100, 500, 2_000, 10_000, 30_000];

export function createFailures(): Failures {
  let count = 0;
  let notBefore = 0;
  return {
    failed() {
      count += 1;
      notBefore = performance.now() + (delays[Math.min(count, delays.length - 1)] ?? 0);
    },
    worked() {
      count = 0;
      notBefore = 0;
    },
    inARow: () => count,
    left: () => notBefore - performance.now(),
  };
}
