/** What a hook's watch rule watches, path by path: each is a watch of its own, so that no two hooks share what they know. */
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Hook, WatchRule } from "../core/hook.ts";

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
