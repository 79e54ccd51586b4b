/** What one file that is not settings gives: a source of hooks, and where they come from. Shared by all that read such files. */
import { messageOf } from "../engine/error.ts";
import type { Hook, Origin, Problem } from "../engine/hook.ts";
import type { FileFormat, HookFile } from "./places.ts";
import type { Source } from "./precedence.ts";
import type { ReadRules } from "./read-rules.ts";

export const originOf = ({ layer, path, root }: HookFile): Origin => ({
  dialect: "rules",
  layer,
  file: path,
  ...(root ? { root } : {}),
});

export function keep(
  file: HookFile,
  { hooks, problems }: { hooks: Hook[]; problems: Problem[] },
  read: Pick<ReadRules, "problems" | "sources">,
): void {
  read.problems.push(...problems);
  read.sources.push(sourceOf(file, hooks, problems));
}

/** It counts as there, with nothing in it. */
export function keepUnreadable(file: HookFile, reason: unknown, read: Pick<ReadRules, "problems" | "sources">): void {
  keep(file, { hooks: [], problems: [unreadable(file.path, reason)] }, read);
}

/** Rules have none of the switches that settings files have. */
export const sourceOf = (file: HookFile, hooks: Hook[], problems: Problem[]): Source => ({
  file,
  hooks,
  compiled: {
    hooks,
    problems,
    switches: {},
    speaksOf: [],
    enabledPlugins: {},
    placeOf: () => ({ line: 1, column: 1 }),
  },
});

export const unreadable = (file: string, reason: unknown): Problem => ({
  severity: "error",
  code: "unreadable",
  message: `the file cannot be read: ${messageOf(reason)}`,
  suggestion: "check its path and rights",
  file,
  line: 1,
  column: 1,
});

type Check = (hooks: readonly Hook[]) => { hooks: Hook[]; problems: Problem[] };

/** What only all files of one format together show. @param check gives as many hooks as it takes, in their order */
export function checkTogether(format: FileFormat, check: Check, read: ReadRules): void {
  const own = read.sources.filter(({ file }) => file.flavour === format);
  const { hooks, problems } = check(own.flatMap((source) => source.hooks));
  if (problems.length === 0) return;
  read.problems.push(...problems);
  let from = 0;
  for (const source of own) {
    source.hooks = hooks.slice(from, from + source.hooks.length);
    from += source.hooks.length;
  }
}
