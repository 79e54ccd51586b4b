/** What a hook's watch rule watches, path by path, and the events that tell of it (specification 000, 3.1): each path is a watch of its own, so that no two hooks share what they know. */
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Fields, HookEvent, Instant } from "../../../engine/event.ts";
import type { Hook, WatchRule } from "../../../engine/hook.ts";
import { readableName } from "../../../files/names.ts";
import type { Operation, Pendings } from "./known.ts";
import type { Stamp } from "./tree.ts";

export interface WatchedPlace {
  /** Names the watch in its events. */
  id: string;
  hook: string;
  kind: WatchRule["kind"];
  /** Absolute. */
  path: string;
  /** From where its rule starts, with forward slashes; the path itself where it lies elsewhere. */
  relative: string;
  /** Where its events happen. */
  cwd: string;
  project?: string;
  recursive: boolean;
  /** None: all. */
  extensions: readonly string[];
  poll: boolean;
}

/** `lost` are relative paths of a rule that starts nowhere. */
export function placesOf(hook: Hook): { places: WatchedPlace[]; lost: string[] } {
  const places = new Map<string, WatchedPlace>();
  const lost: string[] = [];
  const rule = "watch" in hook.on ? hook.on.watch : undefined;
  for (const written of rule?.paths ?? []) {
    const place = rule && placeAt(written, rule, hook);
    if (place) places.set(place.path, place);
    else lost.push(written);
  }
  return { places: [...places.values()], lost };
}

function placeAt(written: string, rule: WatchRule, hook: Hook): WatchedPlace | undefined {
  const { root } = hook.origin;
  const base = rule.base === undefined ? root : resolve(root ?? "/", rule.base);
  if (base === undefined && !isAbsolute(written)) return undefined;
  const path = resolve(base ?? "/", written);
  const project = rule.project ?? hook.project;
  return {
    id: `${hook.id}:${written}`,
    hook: hook.id,
    kind: rule.kind,
    path,
    relative: relativeTo(base, path),
    cwd: root ?? base ?? path,
    ...(project === undefined ? {} : { project }),
    recursive: rule.recursive ?? false,
    extensions: rule.extensions ?? [],
    poll: rule.poll ?? false,
  };
}

function relativeTo(base: string | undefined, path: string): string {
  const found = base === undefined ? path : relative(base, path);
  const isInside = found !== "" && found !== ".." && !found.startsWith(`..${sep}`) && !isAbsolute(found);
  return (isInside ? found : path).replaceAll(sep, "/");
}

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
