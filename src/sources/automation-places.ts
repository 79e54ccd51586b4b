/** Which project a file's automation belongs to, and where that lies: what the store knows, and the file does not say. */
import { realpathSync } from "node:fs";
import { basename } from "node:path";
import type { Condition, Hook } from "../core/hook.ts";
import { slugOf } from "../core/slug.ts";
import { hookIdOf } from "../dialects/automation-fields.ts";

/** The project of a folder that no project in the store has: called after the folder. */
export const projectOfFolder = (folder: string): string => slugOf(basename(folder)) || "project";

/** @param workspaces the folders of the store's projects. Never throws */
export function placeHook(hook: Hook, workspaces: ReadonlyMap<string, string>): Hook {
  const { project, origin } = hook;
  if (!hook.durable || project === undefined || origin.file === undefined) return hook;
  if (origin.root !== undefined) {
    const known = project === projectOfFolder(origin.root) ? projectAt(origin.root, workspaces) : undefined;
    return known === undefined || known === project ? hook : ofProject(hook, known, origin.root);
  }
  const workspace = workspaces.get(project);
  return workspace === undefined ? hook : ofProject(hook, project, workspace);
}

function projectAt(root: string, workspaces: ReadonlyMap<string, string>): string | undefined {
  if (workspaces.size === 0) return undefined;
  const real = realOf(root);
  return [...workspaces].find(([, workspace]) => workspace === root || workspace === real)?.[0];
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
