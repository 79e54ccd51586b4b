/** The events that tell a hook of changes to what it watches (specification 000, 3.1). */
import type { Fields, HookEvent, Instant } from "../core/event.ts";
import { readableName } from "../files/names.ts";
import type { Operation, Pendings } from "./file-watch-changes.ts";
import type { WatchedPlace } from "./file-watch-place.ts";
import type { Stamp } from "./file-watch-tree.ts";

export type EventMaker = (place: WatchedPlace, name: "file.changed" | "folder.changed", data: Fields) => HookEvent;

/** It reaches the hook of the watch and no other (R24). */
export const eventMaker =
  (now: () => Instant, id: () => string): EventMaker =>
  ({ id: watch, hook, cwd, project }, name, data) => ({
    id: id(),
    name,
    at: now(),
    cwd,
    data: { ...data, ...(project === undefined ? {} : { project_id: project }), watch_id: watch },
    sender: "watch",
    to: { hook, because: `event:${name}` },
  });

/** Times are Unix seconds; null stands for those of a file that is not there. */
export const fileData = (
  { path, relative }: WatchedPlace,
  operation: Operation,
  stamps: { before: Stamp | undefined; after: Stamp | undefined },
): Fields => ({
  path: readableName(path),
  relative_path: readableName(relative),
  operation,
  old_mtime: secondsOf(stamps.before),
  new_mtime: secondsOf(stamps.after),
  size: stamps.after?.size ?? null,
});

const secondsOf = (stamp: Stamp | undefined): number | null => (stamp ? stamp.mtime / 1000 : null);

/** What an event lists; `count` is of all. */
const changesAtMost = 1_000;

export function folderData({ path }: WatchedPlace, pendings: Pendings): Fields {
  const changes = [...pendings]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .slice(0, changesAtMost)
    .map(([name, { operation }]) => ({ path: readableName(name), operation }));
  const left = pendings.size - changes.length;
  return { path: readableName(path), changes, count: pendings.size, ...(left > 0 ? { truncated: left } : {}) };
}
