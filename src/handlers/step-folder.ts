/** Where context steps work: in the project's workspace, and from there wherever their parameters say. */
import { resolve } from "node:path";
import type { StepContext } from "../core/ports.ts";
import { isFolder } from "./command.ts";

/** A path as the author of a step meant it. */
export const placeFor = (path: string, { hook, event }: StepContext): string =>
  resolve(hook.origin.root ?? event.cwd, path);

/** The folder that a step works in. Throws a sentence where there is none. */
export function folderFor(path: string, context: StepContext): string {
  const folder = placeFor(path, context);
  if (!isFolder(folder)) throw new Error(`the folder ${folder} does not exist`);
  return folder;
}
