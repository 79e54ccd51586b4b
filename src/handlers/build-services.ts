/** Which services of a repository changed files belong to. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { isReallyInside } from "./repository-place.ts";

export interface Service {
  /** The last name of its folder. */
  name: string;
  /** From the root, with forward slashes; "" is the root itself. */
  path: string;
  files: string[];
}
export interface Grouped {
  services: Service[];
  /** Files that no service has. */
  others: string[];
}

export const usualServices: readonly string[] = ["services/*", "apps/*", "packages/*"];
export const manifests = ["package.json", "go.mod", "Cargo.toml", "pyproject.toml"] as const;

/** Nobody's own sources. */
const foreign: ReadonlySet<string> = new Set([".git", "node_modules"]);

/**
 * A file belongs to the outermost folder above it that is a service, else to the nearest with a manifest. Folders that are
 * gone, or lie elsewhere by a link, are none.
 */
export function groupByService(
  files: readonly string[],
  root: string,
  isService: (folder: string) => boolean,
): Grouped {
  const services = new Map<string, Service>();
  const others: string[] = [];
  const known = new Map<string, boolean>();
  const isFolder = (path: string): boolean => {
    const found = known.get(path) ?? (isReallyInside(root, join(root, path)) && lies(join(root, path), "folder"));
    known.set(path, found);
    return found;
  };
  for (const file of files) {
    const folders = foldersAbove(file);
    if (folders.some((folder) => foreign.has(basename(folder)))) continue;
    const path =
      folders.find((folder) => folder !== "" && isService(folder) && isFolder(folder)) ??
      folders.findLast((folder) => isFolder(folder) && hasManifest(join(root, folder)));
    if (path === undefined) others.push(file);
    else serviceAt(path, root, services).files.push(file);
  }
  return { services: [...services.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1)), others };
}

/** "services/billing/src/a.ts" → "", "services", "services/billing", "services/billing/src". */
function foldersAbove(file: string): string[] {
  const names = file.split("/").slice(0, -1);
  return ["", ...names.map((_name, index) => names.slice(0, index + 1).join("/"))];
}

function serviceAt(path: string, root: string, services: Map<string, Service>): Service {
  const service = services.get(path) ?? { name: basename(path === "" ? root : path), path, files: [] };
  services.set(path, service);
  return service;
}

const hasManifest = (folder: string): boolean => manifests.some((name) => lies(join(folder, name), "file"));

export function lies(path: string, what: "file" | "folder"): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return what === "file" ? found?.isFile() === true : found?.isDirectory() === true;
  } catch {
    return false; // not for us to see
  }
}
