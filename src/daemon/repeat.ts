/** Work that is done again and again, never twice at once, until it is stopped. */
import { messageOf } from "../core/error.ts";
import type { Ports } from "../core/ports.ts";

export interface Repeated {
  /** Waits for the work that is being done. Safe to call twice. */
  stop(): Promise<void>;
}

/** @param complain told what went wrong; the next time may go better */
export function repeat(
  work: () => Promise<void>,
  { after, milliseconds, complain }: Pick<Ports, "after"> & { milliseconds: number; complain(reason: string): void },
): Repeated {
  let undo: (() => void) | undefined;
  let doing: Promise<void> = Promise.resolve();
  let isStopped = false;
  const wait = (): void => {
    undo = after(milliseconds, () => {
      doing = work()
        .catch((error: unknown) => complain(messageOf(error)))
        .then(() => (isStopped ? undefined : wait()));
    });
  };
  wait();
  return {
    async stop() {
      isStopped = true;
      undo?.();
      await doing;
    },
  };
}
