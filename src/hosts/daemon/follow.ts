/** How the daemon follows what changes: work that is never done twice at once, and the store's file, whichever process writes to it. */
import { messageOf } from "../../engine/error.ts";
import type { Ports } from "../../engine/ports.ts";
import { watchPaths } from "../../files/watch-paths.ts";
/** Following changes: work that is done whenever something may have changed, and now and then although nothing was heard of, never twice at once; and what is heard of the store's file. */

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

/** Does the work whenever something may have changed, and now and then although nothing was heard of. */
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

/** A process that writes much hears of itself: so long it does not listen then. */
const deafFor = 100;

export interface StoreWatchOptions extends Pick<Ports, "after"> {
  /** Called soon after the file was written to or taken away; again only after a tenth of a second. */
  written(): void;
  /** Paths whose changes are told as well. */
  others?: readonly string[];
}

/** Where the system tells of no changes it is silent: who needs to know looks now and then. */
export function watchStore(file: string, { after, written, others = [] }: StoreWatchOptions): { close(): void } {
  const followed = [file, `${file}-wal`, ...others];
  let undo: (() => void) | undefined;
  const paths = watchPaths({
    changed(key) {
      paths.drop(key);
      undo = after(deafFor, () => {
        paths.follow(key, followed);
        written();
      });
    },
  });
  paths.follow("store", followed);
  return {
    close() {
      undo?.();
      paths.close();
    },
  };
}
