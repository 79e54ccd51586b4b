/** Hooks of one file that are too many to be read one by one, such as a pack's, are one row for a person; --verbose shows each. */
import type { Reader } from "../shown.ts";

const most = 20;

/** One hook, or those of a file. */
type Gathered<T> = { one: T } | { file: string; all: readonly T[] };

/** In their order; a file's hooks stand where its first one stood. */
export function gathered<T>(
  hooks: readonly T[],
  fileOf: (hook: T) => string | null | undefined,
  { all: isAll }: Pick<Reader, "all">,
): Gathered<T>[] {
  const byFile = Map.groupBy(hooks, fileOf);
  return hooks.flatMap((hook): Gathered<T>[] => {
    const file = fileOf(hook);
    const all = byFile.get(file) ?? [];
    if (!file || all.length <= most || isAll) return [{ one: hook }];
    return all[0] === hook ? [{ file, all }] : [];
  });
}

/** Where the hooks of a file stand, and how to see each. */
export const whereAll = (file: string, { path }: Pick<Reader, "path">): string => `${path(file)} (--verbose)`;
