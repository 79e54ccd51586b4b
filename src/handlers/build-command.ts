/** How a service is built where nobody has said it: by what its manifest and the repository's own scripts are. */
import { join } from "node:path";
import { isRecord } from "../core/schema.ts";
import { readRegularFileSync } from "../files/regular-file.ts";
import { lies, type Service } from "./build-services.ts";

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
