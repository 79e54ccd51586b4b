/** Looks at workspaces that it watches: what a process that stays does. Where it cannot watch, it looks afresh each time. */
import { dropOldest } from "../core/drop-oldest.ts";
import { isShared, sharedReason, watchRefusal } from "../files/watch-tree.ts";
import type { Git } from "../processes/git.ts";
import { createColdChanges } from "./changes-cold.ts";
import type { ChangeFinder, Place } from "./look.ts";
import { createResidentRepository, type ResidentRepository } from "./resident-repository.ts";
import { createSyncMarker, type SyncMarker } from "./sync-marker.ts";

/** Workspaces that are watched at once; the one that was not asked about the longest goes first. */
const placesAtMost = 4;

export interface ResidentChanges extends ChangeFinder {
  /** How many folders of this place are watched, once they are; 0: it is looked at afresh each time. Never rejects. */
  watched(folder: string): Promise<number>;
}

/**
 * Only Linux says in which order things happened; elsewhere, on file systems that other machines write to, and where the
 * system cannot watch any more folders, each look is a fresh one.
 *
 * @param complain told why a workspace is not watched
 */
export function createResidentChanges(git: Git, complain: (reason: string) => void = () => {}): ResidentChanges {
  const cold = createColdChanges(git, complain);
  if (process.platform !== "linux") return { ...cold, watched: async () => 0 };
  const watched = new Map<string, Promise<ResidentRepository | undefined>>();
  let marker: SyncMarker | undefined;
  let isClosed = false;

  async function open({ folder }: Place): Promise<ResidentRepository | undefined> {
    try {
      const repository = await git.repositoryAt(folder);
      if ("none" in repository || isClosed) return undefined;
      if ([folder, repository.gitFolder, repository.commonFolder].some(isShared)) throw new Error(sharedReason);
      marker ??= createSyncMarker();
      const resident = createResidentRepository({ git, repository, marker, complain });
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
