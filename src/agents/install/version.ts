/** Which version of an agent is on the PATH, without starting it: by the package that its program lies in, or by its path. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isRecord } from "../../engine/schema.ts";
import type { AgentAdapter } from "../adapter.ts";

export interface FoundAgent {
  program: string;
  /** Absent: nothing beside the program says it. */
  version?: string;
}

/** Folders above a program in which its package may be described. */
const highest = 4;

/** Undefined: it is not on the PATH. Never throws. */
export function findAgent(
  { program: { name } }: Pick<AgentAdapter, "program">,
  environment: Readonly<Record<string, string | undefined>>,
): FoundAgent | undefined {
  const folders = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  const program = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (program === undefined) return undefined;
  const version = versionAbove(realOf(program)) ?? /(?<=[/@-])\d+\.\d+\.\d+(?=[/-]|$)/.exec(realOf(program))?.[0];
  return { program, ...(version !== undefined && { version }) };
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // a link to nothing
  }
}

function versionAbove(program: string): string | undefined {
  let folder = dirname(program);
  for (let up = 0; up < highest; up++, folder = dirname(folder)) {
    const version = versionIn(join(folder, "package.json"));
    if (version !== undefined) return version;
  }
  return undefined;
}

function versionIn(file: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(manifest) && typeof manifest.version === "string" ? manifest.version : undefined;
  } catch {
    return undefined; // there is none, or it is no manifest
  }
}
