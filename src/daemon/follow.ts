/** Work that is done whenever something may have changed, and now and then although nothing was heard of: never twice at once. */
import { messageOf } from "../core/error.ts";
import type { Ports } from "../core/ports.ts";

export interface Following {
  /** Something may have changed. Heard while the work is done, it is done again. */
  hear(): void;
  /** Waits for the work that is being done. Safe to call twice. */
  stop(): Promise<void>;
}

export interface FollowOptions extends Pick<Ports, "after"> {
  /** @returns after how many milliseconds it is done at the latest, whatever is heard */
  work(): Promise<number>;
  /** Told what went wrong; the next time may go better. */
  complain(reason: string): void;
}

/** Changes mostly come in company. */
const gathersFor = 20;
const triesAgainAfter = 500;

export function follow({ work, after, complain }: FollowOptions, first: number): Following {
  let waiting: { undo(): void; isSoon: boolean } | undefined;
  let doing: Promise<void> | undefined;
  let isHeard = false;
  let isStopped = false;

  function wait(milliseconds: number, isSoon: boolean): void {
    if (isStopped || waiting?.isSoon) return;
    waiting?.undo();
    waiting = { undo: after(milliseconds, begin), isSoon };
  }

  function begin(): void {
    waiting = undefined;
    isHeard = false;
    doing = attempt().then((milliseconds) => {
      doing = undefined;
      if (isHeard) wait(gathersFor, true);
      else wait(milliseconds, false);
    });
  }

  async function attempt(): Promise<number> {
    try {
      return await work();
    } catch (error) {
      complain(messageOf(error));
      return triesAgainAfter;
    }
  }

  wait(first, false);
  return {
    hear() {
      isHeard = true;
      if (!doing) wait(gathersFor, true);
    },
    async stop() {
      isStopped = true;
      waiting?.undo();
      await doing;
    },
  };
}
