/** Names that are given once: records, limits and outputs are kept under them. */
import { fingerprint } from "../../engine/fingerprint.ts";

/** What ends an id: one project's hooks are not another's, and records, limits and pending checks are kept under their ids. */
export const ofProject = (root: string | undefined): string =>
  root === undefined ? "" : `@${fingerprint(root).slice(0, 8)}`;

/** The name itself where it is free, else the first of name-2, name-3 and so on that is. */
export function createNames(): (name: string) => string {
  const last = new Map<string, number>();
  return (name) => {
    let free = name;
    for (let count = last.get(name) ?? 1; last.has(free); ) {
      count += 1;
      free = `${name}-${count}`;
      last.set(name, count);
    }
    last.set(free, 1);
    return free;
  };
}
