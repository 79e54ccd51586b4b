/** Hears that the store's file was written to, by whichever process, or taken away: what stays need not ask it again and again. */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Ports } from "../core/ports.ts";
import { isShared } from "../files/shared-file-system.ts";

export interface StoreWatch {
  /** Safe to call twice. */
  close(): void;
}

/** A process that writes much hears of itself: so long it does not listen then. */
const deafFor = 100;

/**
 * @param others what is heard of like it, beside it; and that the folder itself goes
 * @param written called soon after the file has changed; again only after a tenth of a second
 * @returns undefined where nobody would tell
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
    return undefined; // whoever asks looks now and then
  }
  return {
    close() {
      isClosed = true;
      undo?.();
      watcher?.close();
    },
  };
}
