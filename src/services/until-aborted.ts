/** Waiting that ends when its caller gives up; the work itself goes on, for others. */

export interface Interruption {
  /** Rejects when the signal aborts; never resolves, and needs no listener. */
  failure: Promise<never>;
  stop(): void;
}

export function whenAborted(signal: AbortSignal, fail: () => unknown): Interruption {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const abort = (): void => reject(fail());
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { failure: promise, stop: () => signal.removeEventListener("abort", abort) };
}

/** @param fail makes what it rejects with then; the signal's own reason otherwise */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  fail: () => unknown = () => signal.reason,
): Promise<T> {
  const aborted = whenAborted(signal, fail);
  try {
    return await Promise.race([work, aborted.failure]);
  } finally {
    aborted.stop();
  }
}
