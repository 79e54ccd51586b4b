/** Puts what watches have seen on the line, one after another in that order: what the line refuses is kept and told again. */
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
  deliver(event: HookEvent): void;
  /** What still waits is dropped. */
  close(): void;
}

const againInMilliseconds = 1_000;
const waitingAtMost = 1_000;

export function createDelivery({ tell, after, complain }: DeliveryOptions): Delivery {
  const waiting: HookEvent[] = [];
  let complained: string | undefined;
  let cancel: (() => void) | undefined;
  let isTelling = false;
  let isClosed = false;

  function deliver(event: HookEvent): void {
    if (isClosed) return;
    waiting.push(event);
    if (complained !== undefined) giveUpOldest();
    if (!isTelling && !cancel) void tellAll();
  }

  function complainOnce(event: HookEvent, error: unknown): void {
    const reason = messageOf(error);
    if (reason !== complained) complain(`${called(event)}: ${reason}`);
    complained = reason;
  }

  /** Only what the line refuses piles up: a flood that it takes is none. */
  function giveUpOldest(): void {
    while (waiting.length > waitingAtMost) {
      const [given] = waiting.splice(isTelling ? 1 : 0, 1);
      if (given) complain(`${called(given)} is given up: ${waitingAtMost} newer ones wait`);
    }
  }

  async function tellAll(): Promise<void> {
    isTelling = true;
    cancel = undefined;
    for (let event = waiting[0]; event && !isClosed; event = waiting[0])
      try {
        await tell(event);
        waiting.shift();
        complained = undefined;
      } catch (error) {
        complainOnce(event, error);
        break;
      }
    isTelling = false;
    if (waiting.length === 0 || isClosed) return;
    giveUpOldest();
    cancel = after(againInMilliseconds, () => void tellAll());
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
