/** The project that a question comes from: whose rows are shown unless all are asked for (R75). */
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import type { Hook } from "../engine/hook.ts";
import { findProject, workspaceOf } from "../loading/project.ts";

interface Place {
  cwd: string;
  home: string;
}

/** Its folder, as it is written and as the file system knows it: an agent may name either. */
export function projectFolders({ cwd, home }: Place): readonly string[] {
  const folder = workspaceOf(findProject(cwd, home));
  try {
    return [...new Set([folder, realpathSync(folder)])];
  } catch {
    return [folder]; // it is gone, and its rows are still there
  }
}

/** Whether it is no automation of another project: the store keeps those of all, and a daemon follows the files of several. */
export const isOfProject = ({ origin }: Hook, folders: readonly string[]): boolean =>
  origin.dialect !== "automation" ||
  (origin.file !== undefined && origin.layer === "user") ||
  folders.some((folder) => origin.root === folder || origin.root?.startsWith(folder + sep) === true);
