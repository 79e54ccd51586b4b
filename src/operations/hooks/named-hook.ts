/** The hook or the project that a name means, for commands and for the library. */
import { basename, resolve } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { Hook } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";

interface Written {
  /** As it was written. */
  name: string;
  /** Where paths start. */
  cwd: string;
  /** Who asks, for messages. */
  where: string;
}

/**
 * An id always means its hook; everything else has to mean one hook only.
 *
 * @throws HooklineError hook_unknown, with the nearest name, or with all hooks that were meant
 */
export function findHook(hooks: readonly Hook[], written: Written): Hook {
  const { name, cwd, where } = written;
  const [found, ...others] = hooksCalled(hooks, { name, cwd });
  if (found && others.length === 0) return found;
  if (!found) throw new HooklineError("hook_unknown", { name, where, near: nearest(name, hooks.flatMap(allNamesOf)) });
  const candidates = [found, ...others].map(({ id }) => id);
  throw new HooklineError("hook_unknown", {
    name,
    where,
    several: candidates.length,
    candidates: candidates.length > shownAtMost ? `${few(candidates)} or another of them` : candidates.join(" or "),
  });
}
const shownAtMost = 8;
const few = (candidates: readonly string[]): string => candidates.slice(0, shownAtMost).join(", ");

/** All that it may mean; an id means its hook and no other. */
export function hooksCalled(hooks: readonly Hook[], { name, cwd }: Omit<Written, "where">): readonly Hook[] {
  const known = hooks.find(({ id }) => id === name);
  if (known) return [known];
  const path = resolve(cwd, name);
  return hooks.filter((hook) => hook.origin.file === path || namesOf(hook).includes(name));
}

/** A script's id carries where it lies behind an @, which no person types. */
const namesOf = ({ id, name, origin, steps }: Hook): string[] => [
  name,
  ...(origin.dialect === "automation" ? [id.slice(id.indexOf(":") + 1), id.slice(id.indexOf("/") + 1)] : []),
  ...(id.includes("@") ? [id.slice(0, id.lastIndexOf("@"))] : []),
  ...(origin.file === undefined ? [] : [basename(origin.file)]),
  ...steps.flatMap((step) => (typeof step.with.slug === "string" ? [step.with.slug] : [])),
];

/** What a person may call it. */
export const allNamesOf = (hook: Hook): string[] => [hook.id, ...namesOf(hook)];

const ofProjects: ReadonlySet<Hook["origin"]["layer"]> = new Set<Hook["origin"]["layer"]>(["project", "local"]);

/**
 * The folder that the project's hooks belong to: its root, and where none lie there (in a worktree, say, that uses those
 * of the main one) the nearest that some do belong to.
 */
export function projectOf(hooks: readonly Hook[], root: string): string {
  const roots = hooks.flatMap(({ origin }) => (ofProjects.has(origin.layer) && origin.root ? [origin.root] : []));
  if (roots.length === 0 || roots.includes(root)) return root;
  return roots.reduce((nearest, one) => (one.length > nearest.length ? one : nearest));
}
