/** Which version of an agent is on the PATH, without starting it: by the package that its program lies in, or by its path. */
import { dirname, join } from "node:path";
import { isRecord } from "../../engine/schema.ts";
import { findOnPath, realOf } from "../../files/paths.ts";
import { textAt } from "../../files/regular-file.ts";
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
  const program = findOnPath(name, environment.PATH ?? "");
  if (program === undefined) return undefined;
  const version = versionAbove(realOf(program)) ?? /(?<=[/@-])\d+\.\d+\.\d+(?=[/-]|$)/.exec(realOf(program))?.[0];
  return { program, ...(version !== undefined && { version }) };
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
    const manifest: unknown = JSON.parse(textAt(file) ?? "null");
    return isRecord(manifest) && typeof manifest.version === "string" ? manifest.version : undefined;
  } catch {
    return undefined; // there is none, or it is no manifest
  }
}
