/** Patterns of files (R12): the text of `Edit(…)`, read as in .gitignore, and those of changed files. */

import { HooklineError } from "./error.ts";
import type { Fields, HookEvent, Json } from "./event.ts";
import { rowOf } from "./events.ts";
import type { Patterns } from "./ports.ts";
import { classOf, toolRow } from "./tools.ts";
import { counted } from "./words.ts";

/** Where relative patterns and paths start. */
export interface Places {
  cwd: string;
  /** The folder of the hook file that holds the pattern. */
  root?: string;
  home?: string;
}
/** @param mode allow: it holds only if it holds for what a link leads to as well. Else one of both is enough. */
export type FilePattern = (path: string, places: Places, mode?: "deny" | "allow") => boolean;

/**
 * No slash: the base name, in any folder. `//x`: from the file system's root. `~/x`: from home. `/x`: from the hook's
 * root. `./x` and `a/b`: from the folder of the event, or else from the hook's root, so that starting the agent in a
 * subfolder does not switch a guard off. A pattern that names a folder means what lies in it, too. A file is meant by the path that a
 * link to it has, and by its own.
 */
export function compileFilePattern(source: string, { glob, real }: Pick<Patterns, "glob" | "real">): FilePattern {
  const holds = compileByName(source, glob);
  if (!real) return (path, places) => holds(path, places);
  return (path, places, mode = "deny") => {
    const isNamed = holds(path, places);
    if (isNamed === (mode === "deny")) return isNamed;
    const named = resolvePath(path, places.cwd);
    const led = real(named);
    return led === named ? isNamed : holds(led, realPlaces(places, real));
  };
}

const realPlaces = ({ cwd, root, home }: Places, real: (path: string) => string): Places => ({
  cwd: real(cwd),
  ...(root !== undefined && { root: real(root) }),
  ...(home !== undefined && { home: real(home) }),
});

function compileByName(source: string, glob: Patterns["glob"]): (path: string, places: Places) => boolean {
  const pattern = source.trim();
  if (pattern === "*" || pattern === "**" || pattern === "") return () => true;
  if (!pattern.includes("/")) {
    const holds = glob(pattern);
    return (path) => holds(baseOf(path));
  }
  const start = starts.find((one) => pattern.startsWith(one.sign)) ?? inFolder;
  const inside = pattern
    .slice(start.sign.length)
    .replace(/^(\.\/)+/, "")
    .replace(/\/+$/, "/**");
  const holds = orBelow(inside, glob);
  return (path, places) => {
    const absolute = resolvePath(path, places.cwd);
    return start.from(places).some((folder) => {
      const rest = folder === undefined ? undefined : below(absolute, folder);
      return rest !== undefined && holds(rest);
    });
  };
}

interface Start {
  sign: string;
  from(places: Places): readonly (string | undefined)[];
}
const inFolder: Start = { sign: "", from: ({ cwd, root }) => [cwd, root] };
const starts: readonly Start[] = [
  { sign: "//", from: () => ["/"] },
  { sign: "~/", from: ({ home }) => [home] },
  { sign: "/", from: ({ root, cwd }) => [root ?? cwd] },
];

/** The path or a folder above it, as long as nothing below that folder begins with a dot. */
function orBelow(pattern: string, glob: Patterns["glob"]): (path: string) => boolean {
  const holds = glob(pattern);
  if (/(^|\/)\*+$/.test(pattern)) return holds;
  return (path) => {
    if (holds(path)) return true;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (path[end + 1] === ".") return false;
      if (holds(path.slice(0, end))) return true;
    }
    return false;
  };
}

const baseOf = (path: string): string => path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

/** The path from this folder, or undefined if it lies elsewhere. */
function below(path: string, folder: string): string | undefined {
  const base = resolvePath(folder, "/");
  if (base === "/") return path.slice(1);
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}

/** Names that resolving takes away, and the slash before a drive. Most paths have none. */
const unresolved = /\/\.{0,2}(?:\/|$)|^\/[A-Za-z]:/;

/** Absolute, with forward slashes and without `.` and `..`. Looks at no disk. */
export function resolvePath(path: string, cwd: string): string {
  const plain = path.replaceAll("\\", "/");
  const whole = /^([A-Za-z]:)?\//.test(plain) ? plain : `${cwd.replaceAll("\\", "/")}/${plain}`;
  if (whole.startsWith("/") && !unresolved.test(whole)) return whole;
  const kept: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "." && part !== "") kept.push(part);
  }
  return /^[A-Za-z]:/.test(kept[0] ?? "") ? kept.join("/") : `/${kept.join("/")}`;
}

/**
 * Patterns of changed files, for paths from the root, with forward slashes. A glob without a slash means the base name, in any folder.
 *
 * @param where who has written them, for messages
 * @throws HooklineError pattern_invalid
 */
export function compileChangedPatterns(
  written: readonly string[],
  { glob }: Pick<Patterns, "glob">,
  where: string,
): (path: string) => boolean {
  const tests = written.map((source) => compileOne(source, glob, where));
  return (path) => tests.some((holds) => holds(path));
}

function compileOne(source: string, glob: Patterns["glob"], where: string): (path: string) => boolean {
  const pattern = source.trim().replace(/^(\.?\/)+/, "");
  if (pattern === "")
    throw new HooklineError("pattern_invalid", { pattern: source, reason: "it names no file", where });
  const holds = glob(pattern);
  return pattern.includes("/") ? holds : (path) => holds(path.slice(path.lastIndexOf("/") + 1));
}

/** Relative to `base`, or absolute. */
export interface NamedFiles {
  base: string;
  files: readonly string[];
}

export const textsIn = (value: Json | undefined): string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;

/** What a payload lists, by the names that senders use (specification 001). */
export function filesListedBy({ data, cwd }: Pick<HookEvent, "data" | "cwd">): NamedFiles | undefined {
  const files = textsIn(data.changed_files) ?? textsIn(data.files_touched);
  return files && { base: cwd, files };
}

/** What it lists, or the file that a writing tool is about: then the disk need not be searched for changes. Undefined: none. */
export function filesNamedBy(event: HookEvent): NamedFiles | undefined {
  const listed = filesListedBy(event);
  if (listed) return listed;
  const file = rowOf(event.name).matchTool ? writtenBy(event.data) : undefined;
  return file === undefined ? undefined : { base: event.cwd, files: [file] };
}

function writtenBy({ tool_name: tool, tool_input: input }: Fields): string | undefined {
  if (typeof tool !== "string" || classOf(tool) !== "write") return undefined;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const found = toolRow(tool)
    ?.fields.map((field) => input[field])
    .find((one) => typeof one === "string");
  return typeof found === "string" ? found : undefined;
}

/** A hook of one work tree may serve another, linked one: there the event's own place is meant, and not the hook's root. */
export function ownRoot(root: string | undefined, cwd: string): string | undefined {
  const isHere = root !== undefined && `${resolvePath(cwd, "/")}/`.startsWith(`${resolvePath(root, "/")}/`);
  return isHere ? root : undefined;
}

/** What there is to say where a folder without a repository holds more than is looked at. */
export const notLookedAt = (leftOut: number): string =>
  `${counted(leftOut, "file or folder was", "files and folders were")} not looked at`;
