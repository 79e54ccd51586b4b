/** The files that an event says have changed, for handlers that work on them. */
import { isAbsolute, resolve } from "node:path";
import type { HookEvent } from "../core/event.ts";
import { filesListedBy, textsIn } from "../core/named-files.ts";
import type { StepContext } from "../core/ports.ts";
import { pathInside, realPath } from "./repository-place.ts";

export interface ChangedPaths {
  paths: string[];
  /** Nothing is known, and why. */
  unknown?: string;
}

/** Those that the hook's own match has found, where it looks at changed files; else as changedPaths. */
export function matchedPaths({ event, scope }: StepContext, root: string): ChangedPaths {
  const matched = textsIn(scope.match?.files);
  return matched ? { paths: insideOf(root, root, matched) } : changedPaths(event, root);
}

/**
 * Of the whole session, from the root with forward slashes: what the event says, else what was seen to change. What lies
 * elsewhere is left out.
 */
export function changedPaths(event: HookEvent, root: string): ChangedPaths {
  const { changes } = event;
  const listed = filesListedBy(event);
  if (listed) return { paths: insideOf(root, listed.base, listed.files) };
  if (!changes) return { paths: [], unknown: "the event does not say what has changed" };
  if ("unknown" in changes) return { paths: [], unknown: changes.unknown };
  return { paths: insideOf(root, changes.base, [...changes.files, ...changes.earlier]) };
}

/** Git names the real folder, where a host may know it by a link. */
function insideOf(root: string, base: string, files: readonly string[]): string[] {
  const roots = [root, realPath(root)];
  const bases = [base, realPath(base)];
  const find = (file: string): string[] => {
    const places = isAbsolute(file) ? [file] : bases.map((one) => resolve(one, file));
    return places.flatMap((place) => roots.flatMap((one) => pathInside(one, place) || []));
  };
  return [...new Set(files.flatMap((file) => find(file)[0] ?? []))];
}
