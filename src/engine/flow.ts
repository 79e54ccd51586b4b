/** Work that may or may not wait: a generator that yields only real promises, so that what is synchronous stays so. */
import type { MaybePromise } from "./event.ts";

export type Flow<T> = Generator<PromiseLike<unknown>, T, unknown>;

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/** Waits only if there is something to wait for. Use as `yield* wait(port.call())`. */
export function* wait<T>(value: MaybePromise<T>): Flow<T> {
  return isThenable(value) ? ((yield value) as T) : value; // go() resumes with what the promise gave
}

/** Runs a flow: returns its result, or a promise of it as soon as one step has to wait. */
export function go<T>(flow: Flow<T>): MaybePromise<T> {
  const first = flow.next();
  return first.done ? first.value : resume(flow, first.value);
}

async function resume<T>(flow: Flow<T>, waiting: PromiseLike<unknown>): Promise<T> {
  let next: IteratorResult<PromiseLike<unknown>, T>;
  let awaited = waiting;
  do {
    let value: unknown;
    let failure: { error: unknown } | undefined;
    try {
      value = await awaited;
    } catch (error) {
      failure = { error };
    }
    next = failure ? flow.throw(failure.error) : flow.next(value);
    if (!next.done) awaited = next.value;
  } while (!next.done);
  return next.value;
}
