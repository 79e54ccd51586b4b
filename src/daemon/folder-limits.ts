/** Of which folders a daemon looks up the hooks: each folder on the way is asked about, and everybody else waits meanwhile. */

/** As agents' payloads may name; no system opens a longer path. */
const longest = 4_096;
/** Those of people have some twenty. What a look costs grows with the square of it. */
const levelsAtMost = 64;

export const folderLimit: string = "of at most 64 levels and 4,096 characters";

export function isWithinLimits(folder: string): boolean {
  if (folder.length > longest) return false;
  let levels = 0;
  for (let at = folder.indexOf("/"); at >= 0; at = folder.indexOf("/", at + 1)) levels += 1;
  return levels <= levelsAtMost;
}
