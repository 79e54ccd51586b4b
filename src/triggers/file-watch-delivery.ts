/** Puts what watches have seen on the line: what the line refuses is kept and told again, in the order in which it was seen. */
import { messageOf } from "../core/error.ts";
import type { HookEvent, MaybePromise } from "../core/event.ts";
import type { Ports } from "../core/ports.ts";

export interface DeliveryOptions extends Pick<Ports, "after"> {
  /** May throw: it is tried again. */
  tell(event: HookEvent): MaybePromise<unknown>;
  /** Told why something has to wait, once for each reason, and what is given up. */
  complain(reason: string): void;
}

export interface Delivery {
  /** Never rejects. */
  deliver(event: HookEvent): Promise<void>;
  /** What still waits is dropped. */
  close(): void;
}

const againInMilliseconds = 1_000;
const waitingAtMost = 1_000;

export function createDelivery({ tell, after, complain }: DeliveryOptions): Delivery {
  const waiting: HookEvent[] = [];
  let complained: string | undefined;
  let cancel: (() => void) | undefined;
  let isClosed = false;

  async function deliver(event: HookEvent): Promise<void> {
    if (waiting.length > 0) return keep(event);
    try {
      await tell(event);
    } catch (error) {
      complainOnce(event, error);
      keep(event);
    }
  }

  function complainOnce(event: HookEvent, error: unknown): void {
    const reason = messageOf(error);
    if (reason !== complained) complain(`${called(event)}: ${reason}`);
    complained = reason;
  }

  function keep(event: HookEvent): void {
    if (isClosed) return;
    waiting.push(event);
    const given = waiting.length > waitingAtMost ? waiting.shift() : undefined;
    if (given) complain(`${called(given)} is given up: ${waitingAtMost} newer ones wait`);
    cancel ??= after(againInMilliseconds, () => void tellAgain());
  }

  async function tellAgain(): Promise<void> {
    try {
      for (let event = waiting[0]; event && !isClosed; event = waiting[0]) {
        await tell(event);
        if (waiting[0] === event) waiting.shift(); // else it was given up meanwhile
      }
      complained = undefined;
    } catch (error) {
      if (waiting[0]) complainOnce(waiting[0], error);
    }
    cancel = waiting.length > 0 && !isClosed ? after(againInMilliseconds, () => void tellAgain()) : undefined;
  }

  return {
    deliver,
    close() {
      isClosed = true;
      cancel?.();
      waiting.length = 0;
    },
  };
}

const called = ({ name, to }: HookEvent): string => `${name} of ${to?.hook}`;
