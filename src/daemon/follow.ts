/** Following changes: work that is done whenever something may have changed, and now and then although nothing was heard of, never twice at once; and what is heard of the store's file. */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { messageOf } from "../core/error.ts";
import type { Ports } from "../core/ports.ts";
import { isShared } from "../shared-file-system.ts";

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

/** Hears that the store's file was written to, by whichever process, or taken away: what stays need not ask it again and again. */
export interface StoreWatch {
  /** Safe to call twice. */
  close(): void;
}

/** A process that writes much hears of itself: so long it does not listen then. */
const deafFor = 100;

/**
 * @param others what is heard of like it, beside it; and that the folder itself goes
 * @param written called soon after the file has changed; again only after a tenth of a second
 * @returns undefined where the system reports no changes
 */
export function watchStore(
  file: string,
  { after, written, others = [] }: Pick<Ports, "after"> & { written(): void; others?: readonly string[] },
): StoreWatch | undefined {
  const folder = dirname(file);
  const names = new Set([basename(file), `${basename(file)}-wal`, basename(folder), ...others]);
  let watcher: FSWatcher | undefined;
  let undo: (() => void) | undefined;
  let isClosed = false;

  function open(): void {
    watcher = watch(folder, { persistent: false }, (_kind, name) => {
      if (name === null || names.has(name)) hear();
    });
    watcher.on("error", hear); // the folder was replaced, say: watched anew
  }

  function hear(): void {
    if (!watcher) return;
    watcher.close();
    watcher = undefined;
    undo = after(deafFor, listenAgain);
  }

  function listenAgain(): void {
    if (isClosed) return;
    try {
      open();
    } catch {
      undo = after(10 * deafFor, listenAgain); // its folder is gone, or there is no room for watches now
    }
    written();
  }

  try {
    if (isShared(folder)) return undefined;
    open();
  } catch {
    return undefined; // the caller looks now and then
  }
  return {
    close() {
      isClosed = true;
      undo?.();
      watcher?.close();
    },
  };
}
