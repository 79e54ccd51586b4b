/** Looks at workspaces that it watches: what a process that stays does. Where it cannot watch, it looks afresh each time. */
import { closeSync, type FSWatcher, mkdtempSync, openSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dropOldest } from "../../engine/drop-oldest.ts";
import { isShared, openWatch, sharedReason, watchRefusal } from "../../files/watch-tree.ts";
import type { Git } from "../processes/git.ts";
import { createColdChanges } from "./cold.ts";
import type { ChangeFinder, Place } from "./look.ts";
import { createWatchedRepository, type WatchedRepository } from "./watched-repository.ts";

/** Workspaces that are watched at once; the one that was not asked about the longest goes first. */
const placesAtMost = 4;

export interface WatchedChanges extends ChangeFinder {
  /** How many folders of this place are watched, once they are; 0: it is looked at afresh each time. Never rejects. */
  watched(folder: string): Promise<number>;
}

/**
 * Only Linux says in which order things happened; elsewhere, on file systems that other machines write to, and where the
 * system cannot watch any more folders, each look is a fresh one.
 *
 * @param complain called with why a workspace is not watched
 */
export function createWatchedChanges(git: Git, complain: (reason: string) => void = () => {}): WatchedChanges {
  const cold = createColdChanges(git, complain);
  if (process.platform !== "linux") return { ...cold, watched: async () => 0 };
  const watched = new Map<string, Promise<WatchedRepository | undefined>>();
  let marker: SyncMarker | undefined;
  let isClosed = false;

  async function open({ folder }: Place): Promise<WatchedRepository | undefined> {
    try {
      const repository = await git.repositoryAt(folder);
      if ("none" in repository || isClosed) return undefined;
      if ([folder, repository.gitFolder, repository.commonFolder].some(isShared)) throw new Error(sharedReason);
      marker ??= createSyncMarker();
      const resident = createWatchedRepository({ git, repository, synced: marker.synced, complain });
      return await resident.now().then(
        () => resident,
        (error: unknown) => {
          resident.close();
          throw error;
        },
      );
    } catch (error) {
      complain(`${folder} cannot be watched and is looked at afresh each time: ${watchRefusal(error)}`);
      return undefined;
    }
  }

  function expect(place: Place): void {
    if (!place.isRepository || isClosed) return;
    const known = watched.get(place.folder) ?? open(place);
    watched.delete(place.folder);
    watched.set(place.folder, known);
    dropOldest(watched, placesAtMost, forget);
  }

  function forget(folder: string): void {
    void watched.get(folder)?.then((resident) => resident?.close());
    watched.delete(folder);
  }

  return {
    marks: cold.marks,
    expect,
    watched: async (folder) => (await watched.get(folder))?.folders() ?? 0,
    async look(place, begun) {
      expect(place);
      const opening = watched.get(place.folder);
      const resident = await Promise.race([opening, undefined]); // a first question does not wait for the watches
      if (!resident) return cold.look(place, begun);
      try {
        return { base: place.folder, repositories: await resident.now(), leftOut: 0 };
      } catch (error) {
        complain(`${place.folder} is no longer watched: ${watchRefusal(error)}`);
        resident.close();
        if (watched.get(place.folder) === opening) watched.delete(place.folder); // the next question tries once more
        return cold.look(place, begun);
      }
    },
    async close() {
      isClosed = true;
      for (const opening of watched.values()) (await opening)?.close();
      watched.clear();
      marker?.close();
      marker = undefined;
    },
  };
}

/**
 * Shows when every earlier change has been reported: a file of ours is touched, and its event waited for. On Linux all watches
 * of one event loop share one queue of the kernel, so earlier changes have arrived by then.
 */
interface SyncMarker {
  /** False: its own event did not come, so others may be lost, too. Never rejects. */
  synced(): Promise<boolean>;
  close(): void;
}

const patienceInMilliseconds = 1_000;

/** @throws what the system says, if it cannot watch any more folders */
function createSyncMarker(): SyncMarker {
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
