/** Which hook file of which layer a path is: a file that is checked by itself is judged as the one that it is when everything is loaded. */
import { dirname } from "node:path";
import { realOf } from "../files/paths.ts";
import {
  type FileFormat,
  fileAt,
  type Homes,
  type HookFile,
  isYamlOfHooks,
  type ManagedFolders,
  managedFiles,
  projectFiles,
  type RulePlace,
  rulePlaces,
  userFiles,
  wayTo,
} from "./places.ts";
import type { Project } from "./project.ts";

/** The settings files that hold in a project, outer to inner. */
export const settingsFilesOf = (project: Project, homes: Homes, managed: ManagedFolders): HookFile[] => [
  ...managedFiles(managed),
  ...userFiles(homes),
  ...project.folders.flatMap((folder) => projectFiles(folder, wayTo(folder, project))),
];

/** Undefined: no layer reads it where it lies. Links lead to the same file: many keep theirs in a folder of their own. */
export function knownFileAt(
  path: string,
  project: Project,
  { managed, ...homes }: Homes & { managed: ManagedFolders },
): HookFile | undefined {
  const isIt = isSame(path);
  const settings = settingsFilesOf(project, homes, managed).find((file) => isIt(file.path));
  if (settings) return { ...settings, path };
  const isOfFolder = isSame(dirname(path));
  for (const place of rulePlaces(project, homes, managed)) {
    const format = formatIn(place, path, { isIt, isOfFolder });
    if (format !== undefined) return fileAt(path, format, place);
  }
  return undefined;
}

type Test = (path: string) => boolean;

function isSame(path: string): Test {
  const real = realOf(path);
  return (other) => other === path || realOf(other) === real;
}

function formatIn(
  place: RulePlace,
  path: string,
  { isIt, isOfFolder }: { isIt: Test; isOfFolder: Test },
): FileFormat | undefined {
  if (place.config.some(isIt)) return "config";
  if (place.app !== undefined && isIt(place.app)) return "app";
  if (place.modules.some(isIt)) return "module";
  if (place.scripts.some(isOfFolder)) return "script";
  if (!isYamlOfHooks(path.replace(/^.*[/\\]/s, ""))) return undefined;
  if (isOfFolder(place.rules)) return "rules";
  if (place.registry.some(isOfFolder)) return "registry";
  return isOfFolder(place.automations) ? "automation" : undefined;
}
