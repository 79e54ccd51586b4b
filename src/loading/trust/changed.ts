/** Whether the files that something was trusted with still hold what they held then: read anew each time that it is asked (R93). */
import { stateOfFile } from "./item.ts";

/** What each file held, by path. */
export type Bound = { readonly [path: string]: string };

/** The first file that is not what was trusted; undefined: all are. Never throws. */
export function changedOf(bound: Bound | undefined): string | undefined {
  for (const path in bound) if (stateOfFile(path) !== bound[path]) return path;
  return undefined;
}
