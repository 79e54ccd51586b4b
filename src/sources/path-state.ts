/** Whether files are as they were: what the file system says of a path, there or not. */
import { statSync } from "node:fs";

/** Identity, size and times of every path, on one line. */
export const stateOf = (paths: readonly string[]): string => paths.map(pathState).join(" ");

function pathState(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}` : "-";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "?"; // a loop of links, or nobody may look
  }
}
