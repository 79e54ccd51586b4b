/**
 * Says when all that had happened before has been told: a file of ours is touched, and its event waited for. On Linux all
 * watches of one event loop share one queue of the kernel, so what happened earlier has come by then.
 */
import { closeSync, type FSWatcher, mkdtempSync, openSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWatch } from "../files/watch-tree.ts";

export interface SyncMarker {
  /** False: its own event did not come, so others may be lost, too. Never rejects. */
  synced(): Promise<boolean>;
  close(): void;
}

const patienceInMilliseconds = 1_000;

/** @throws what the system says, if it cannot watch any more folders */
export function createSyncMarker(): SyncMarker {
  const folder = mkdtempSync(join(tmpdir(), "hookline-sync-"));
  const waiting = new Map<string, (came: boolean) => void>();
  const free: string[] = [];
  let counter = 0;
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  let watcher: FSWatcher | undefined;
  try {
    watcher = openWatch(folder, {
      changed: (name, how) => how === "written" && waiting.get(name ?? "")?.(true),
      lost() {}, // the next question finds out
    });
  } catch (error) {
    remove();
    throw error;
  }
  process.once("exit", remove); // who never closes it leaves nothing behind either

  /** One touch is one event, so a file whose event has come serves again; where it has not, a late one would prove nothing. */
  function fileAtHand(): string {
    const known = free.pop();
    if (known !== undefined) return known;
    const name = String(++counter);
    closeSync(openSync(join(folder, name), "wx", 0o600));
    return name;
  }

  return {
    synced() {
      return new Promise<boolean>((resolve) => {
        try {
          const name = fileAtHand();
          const late = setTimeout(() => setImmediate(() => waiting.get(name)?.(false)), patienceInMilliseconds);
          waiting.set(name, (came) => {
            clearTimeout(late);
            waiting.delete(name);
            if (came) free.push(name);
            resolve(came);
          });
          utimesSync(join(folder, name), 0, 0);
        } catch {
          resolve(false); // the temporary folder is full, or was cleared
        }
      });
    },
    close() {
      watcher?.close();
      process.off("exit", remove);
      for (const settle of [...waiting.values()]) settle(false);
      remove();
    },
  };
}
