/** Which project a file's automation belongs to, and where that lies: what the store knows, and the file does not say. */
import { realpathSync } from "node:fs";
import { basename, isAbsolute, relative, sep } from "node:path";
import { slugBeside, slugOf } from "../engine/fingerprint.ts";
import type { Condition, Hook, Problem } from "../engine/hook.ts";
import { hookIdOf } from "../formats/automations/fields.ts";

/** The store's projects and their folders; null: it has none. */
export type Workspaces = ReadonlyMap<string, string | null>;

/** The project of a folder that no project in the store has: called after the folder. */
export const projectOfFolder = (folder: string): string => slugOf(basename(folder)) || "project";

/**
 * The project of the files in a folder. What it is called never makes it one that the store has for another place: a folder
 * may come from anybody.
 */
function ownProject(root: string, workspaces: Workspaces): string {
  if (workspaces.size === 0) return projectOfFolder(root);
  const real = realOf(root);
  const [known] = [...workspaces].find(([, workspace]) => workspace === root || workspace === real) ?? [];
  if (known !== undefined) return known;
  const name = projectOfFolder(root);
  return workspaces.has(name) ? slugBeside(name, real) : name;
}

/** Files of the user may name any project; those in a project's folder are that one's. Never throws. */
export function placeHook(hook: Hook, workspaces: Workspaces): Hook {
  const { project, origin } = hook;
  if (!hook.durable || project === undefined || origin.file === undefined) return hook;
  if (origin.root !== undefined) {
    const own = ownProject(origin.root, workspaces);
    return own === project ? hook : ofProject(hook, own, origin.root);
  }
  const workspace = workspaces.get(project);
  return workspace ? ofProject(hook, project, workspace) : hook;
}

/** Undefined: it names no project but that of its folder. */
export function foreignProject({ durable, project, origin }: Hook, workspaces: Workspaces): Problem | undefined {
  const { root, file, line = 1, column = 1 } = origin;
  if (!durable || project === undefined || file === undefined || root === undefined) return undefined;
  const own = ownProject(root, workspaces);
  if (project === own || project === projectOfFolder(root)) return undefined;
  return {
    severity: "error",
    code: "setting-refused",
    message: `"project_id" is "${project}", and an automation in a project's folder belongs to that project: it runs as ${own}'s`,
    suggestion: "remove project_id, or keep the automation among your own, in ~/.config/hookline/automations/",
    file,
    line,
    column,
  };
}

/** Whether the store's rows of a project are looked at from a folder: it is the folder's own, or has no place of its own. */
export function concernsFolder(folder: string, workspaces: Workspaces): (project: string) => boolean {
  const real = realOf(folder);
  const holding = [...workspaces].filter(([, workspace]) => workspace && isWithin(real, workspace));
  const [own] = holding.sort(([, left], [, right]) => (right?.length ?? 0) - (left?.length ?? 0))[0] ?? [];
  return (project) => project === own || !workspaces.get(project);
}

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // it is gone: whatever is known of it stands under the name that it had
  }
}

function ofProject(hook: Hook, project: string, root: string): Hook {
  const id = hook.id.slice(hook.id.indexOf("/") + 1);
  const concerns: Condition = { is: "of_project", with: { project, workspace: root } };
  return {
    ...hook,
    id: hookIdOf({ project_id: project, id }),
    project,
    ...(hook.when ? { when: concerns } : {}),
    origin: { ...hook.origin, root },
  };
}
