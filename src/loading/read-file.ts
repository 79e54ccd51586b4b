/** Reads small files without a surprise: no pipe, no device, nothing above the limit, and absent is an answer. */

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { messageOf } from "../engine/error.ts";
import type { Hook, Origin, Problem } from "../engine/hook.ts";
import { largestFileInBytes } from "../formats/reading/json-tree.ts";
import type { FileFormat, HookFile } from "./places.ts";
import type { Source } from "./precedence.ts";
import type { ReadRules } from "./read-rules.ts";

interface Unreadable {
  is: "unreadable";
  reason: string;
}
type FileText = { is: "absent" } | { is: "read"; text: string } | Unreadable;

const irregular: Unreadable = { is: "unreadable", reason: "it is no regular file" };

/** Never throws. Asking first is cheaper than an exception for each of the many files that do not exist. */
export function readSmallFile(path: string, limitInBytes: number = largestFileInBytes): FileText {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return { is: "absent" };
    if (!found.isFile()) return irregular;
    if (found.size > limitInBytes) return { is: "unreadable", reason: `it is larger than ${limitInBytes / 1024} kB` };
    return { is: "read", text: readFileSync(path, "utf8") };
  } catch (error) {
    return { is: "unreadable", reason: messageOf(error) };
  }
}

type FileHead =
  | { is: "absent" }
  | { is: "folder" }
  | { is: "read"; text: string; mode: number; isCut: boolean }
  | Unreadable;

/** A pipe without a writer would be waited for in `open`, for ever; a terminal would become ours. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The beginning of a file, whatever its size. Never throws. */
export function readFileHead(path: string, limitInBytes: number): FileHead {
  let file: number | undefined;
  try {
    file = openSync(path, flags);
    const found = fstatSync(file);
    if (found.isDirectory()) return { is: "folder" };
    if (!found.isFile()) return irregular;
    const room = Buffer.allocUnsafe(limitInBytes);
    let filled = 0;
    for (let read = 1; read > 0 && filled < limitInBytes; filled += read)
      read = readSync(file, room, filled, limitInBytes - filled, null);
    const text = room.subarray(0, filled).toString("utf8");
    return { is: "read", text, mode: found.mode, isCut: filled === limitInBytes && found.size > filled };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return { is: "absent" };
    return code === "ENXIO" ? irregular : { is: "unreadable", reason: messageOf(error) }; // ENXIO: a socket
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

// What one file that is not settings gives: a source of hooks, and where they come from. Shared by all that read such
// files.

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
