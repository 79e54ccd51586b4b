/** Which services of a repository changed files belong to. */
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { isRecord } from "../../../engine/schema.ts";
import { readRegularFileSync } from "../../../files/regular-file.ts";
import { isReallyInside } from "../../repository.ts";

export interface Service {
  /** The last name of its folder. */
  name: string;
  /** From the root, with forward slashes; "" is the root itself. */
  path: string;
  files: string[];
}
interface Grouped {
  services: Service[];
  /** Files that no service has. */
  others: string[];
}

export const usualServices: readonly string[] = ["services/*", "apps/*", "packages/*"];
const manifests = ["package.json", "go.mod", "Cargo.toml", "pyproject.toml"] as const;

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

function lies(path: string, what: "file" | "folder"): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return what === "file" ? found?.isFile() === true : found?.isDirectory() === true;
  } catch {
    return false; // not for us to see
  }
}

export interface BuildLine {
  program: string;
  args: string[];
  /** Where it runs. */
  folder: string;
}

/** Each package manager leaves a file of its own. */
const lockFiles: readonly (readonly [file: string, manager: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
];

/** Programs that build what such a manifest describes. */
const builders: readonly (readonly [file: string, program: string, args: readonly string[]])[] = [
  ["go.mod", "go", ["build", "./..."]],
  ["Cargo.toml", "cargo", ["check"]],
];

/** undefined: nothing says how. */
export function usualCommand({ name, path }: Service, root: string): BuildLine | undefined {
  const folder = join(root, path);
  const ofRoot = `build:${name}`;
  if (scriptsOf(root).has(ofRoot)) return script(ofRoot, root, root);
  if (scriptsOf(folder).has("build")) return script("build", folder, root);
  const builder = builders.find(([file]) => lies(join(folder, file), "file"));
  return builder && { program: builder[1], args: [...builder[2]], folder };
}

const script = (name: string, folder: string, root: string): BuildLine => ({
  program: managerOf(folder) ?? managerOf(root) ?? "npm",
  args: ["run", name],
  folder,
});

const managerOf = (folder: string): string | undefined =>
  lockFiles.find(([file]) => lies(join(folder, file), "file"))?.[1];

const largestManifestInBytes = 1 << 20;

/** Names of the scripts of a folder's package.json. One that cannot be read has none. */
function scriptsOf(folder: string): ReadonlySet<string> {
  try {
    const read = readRegularFileSync(join(folder, "package.json"), largestManifestInBytes);
    const manifest: unknown = "text" in read ? JSON.parse(read.text) : undefined;
    return new Set(isRecord(manifest) && isRecord(manifest.scripts) ? Object.keys(manifest.scripts) : []);
  } catch {
    return new Set(); // not there, or no JSON: the package manager says more than we could
  }
}
