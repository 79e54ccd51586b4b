/** The repository that a hook works in: places inside of it, and which of its files have changed. */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { Fields, HookEvent, Json } from "../engine/event.ts";
import { filesListedBy, textsIn } from "../engine/file-pattern.ts";
import { isOfUser, type Origin } from "../engine/hook.ts";
import type { Scope, StepContext } from "../engine/ports.ts";
import { isRecord, type Mismatch, type Schema, say, text } from "../engine/schema.ts";
import { compileTemplate } from "../engine/template.ts";
import { classOf } from "../engine/tools.ts";
import { isInside, leadsOut, pathInside } from "../files/paths.ts";

export const folderParameter: Schema<string> = say(
  text(),
  "the repository's root, relative to the folder that the hook's file belongs to (default: that folder). A project's hook stays in it",
);

/**
 * The repository that a hook works in: the one that its file lies in, else where the event happened.
 *
 * @param folder another one, from there
 * @throws Error with a sentence: the folder lies outside of the project whose hook it is
 */
export function repositoryOf({ event, hook }: Pick<StepContext, "event" | "hook">, folder?: string): string {
  const { root } = hook.origin;
  const start = root ?? event.cwd;
  if (folder === undefined) return start;
  const place = resolve(start, folder);
  const leadsOut = root !== undefined && existsSync(place) && !isReallyInside(root, place);
  if (leadsOut || inspectFolder(folder, hook.origin).length > 0)
    throw new Error(`the folder ${folder} lies outside of the project`);
  return place;
}

/**
 * A path as the author of a step meant it. Only the user's own hooks may name what lies elsewhere, by its whole path.
 *
 * @throws Error with a sentence: it lies outside of the workspace, or a link leads there
 */
export function placeFor(path: string, { hook, event }: Pick<StepContext, "event" | "hook">): string {
  const root = hook.origin.root ?? event.cwd;
  const place = resolve(root, path);
  if (leadsOut(root, place) && !(isOfUser(hook) && isAbsolute(path)))
    throw new Error(`${path} lies outside of the workspace ${root}`);
  return place;
}

/** Links are looked at when it is used. */
export const inspectFolder = (folder: unknown, { root }: Pick<Origin, "root"> = {}): Mismatch[] =>
  typeof folder === "string" && root !== undefined && pathInside(root, folder) === undefined
    ? [{ path: ["folder"], expected: "a folder of the project", found: JSON.stringify(folder) }]
    : [];

/** Git names the real folder, where a host may know it by a link. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it is gone, or not for us to see: its name is all that is left of it
  }
}

/** Whether what really lies at the path lies in the root; false where nothing does. */
export function isReallyInside(root: string, path: string): boolean {
  try {
    return isInside(realpathSync(root), realpathSync(path));
  } catch {
    return false; // not there, or not for us to see
  }
}

/**
 * Where a file of the repository is written: its folders are made, links are followed as long as they stay inside.
 *
 * @throws Error with a sentence: it lies outside, in `.git`, or is no regular file; and what the file system says
 */
export function placeToWrite(root: string, path: string): string {
  const base = realpathSync(root);
  const wanted = pathInside(base, path);
  if (!wanted) throw refusal(path, "lies outside of the repository");
  if (isOfGit(wanted)) throw refusal(path, "is in .git");
  const folder = folderInside(base, dirname(wanted), path);
  const file = join(folder, basename(wanted));
  const found = lstatSync(file, { throwIfNoEntry: false });
  const real = found?.isSymbolicLink() ? targetOf(file, path) : file;
  const inside = pathInside(base, real);
  if (inside === undefined) throw refusal(path, `is a link to ${readlinkSync(file)}, outside of the repository`);
  if (isOfGit(inside)) throw refusal(path, "is in .git");
  const kind = lstatSync(real, { throwIfNoEntry: false });
  if (kind && !kind.isFile()) throw refusal(path, "is no regular file");
  return real;
}

const isOfGit = (path: string): boolean => path.toLowerCase().split("/").includes(".git");

const refusal = (path: string, why: string): Error => new Error(`${path} ${why}: nothing is written there`);

/** Each folder on the way is made or looked at by itself, so that no link on it leads out. */
function folderInside(base: string, folder: string, path: string): string {
  let current = base;
  for (const name of folder.split("/").filter((part) => part !== "." && part !== "")) {
    const next = join(current, name);
    if (!lstatSync(next, { throwIfNoEntry: false })) mkdirSync(next, { recursive: true }); // another process may make it now
    current = realpathSync(next);
    if (pathInside(base, current) === undefined) throw refusal(path, `goes through ${next}, which leads out of it`);
  }
  return current;
}

function targetOf(link: string, path: string): string {
  try {
    return realpathSync(link);
  } catch {
    throw refusal(path, "is a link to nothing");
  }
}

/** Adds to the end in one piece, beside other processes that do the same. Throws what the file system says. */
export function append(file: string, text: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const opened = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) throw new Error(`${file} is no regular file`);
    if (found.nlink > 1) throw refusal(file, "has another name as well, which may lie anywhere");
    writeSync(opened, text);
  } finally {
    closeSync(opened);
  }
}

interface ChangedPaths {
  paths: string[];
  /** Nothing is known, and why. */
  unknown?: string;
}

/** Those that the hook's own match has found, where it looks at changed files; else as changedPaths. */
export function matchedPaths({ event, scope }: StepContext, root: string): ChangedPaths {
  const matched = textsIn(scope.match?.files);
  return matched ? { paths: insideOf(root, root, matched) } : changedPaths(event, root);
}

/**
 * Of the whole session, from the root with forward slashes: what the event says, else what was seen to change. What lies
 * elsewhere is left out.
 */
export function changedPaths(event: HookEvent, root: string): ChangedPaths {
  const { changes } = event;
  const listed = filesListedBy(event);
  if (listed) return { paths: insideOf(root, listed.base, listed.files) };
  if (!changes) return { paths: [], unknown: "the event does not say what has changed" };
  if ("unknown" in changes) return { paths: [], unknown: changes.unknown };
  return { paths: insideOf(root, changes.base, [...changes.files, ...changes.earlier]) };
}

/** Git names the real folder, where a host may know it by a link. */
function insideOf(root: string, base: string, files: readonly string[]): string[] {
  const roots = [root, realPath(root)];
  const bases = [base, realPath(base)];
  const find = (file: string): string[] => {
    const places = isAbsolute(file) ? [file] : bases.map((one) => resolve(one, file));
    return places.flatMap((place) => roots.flatMap((one) => pathInside(one, place) || []));
  };
  return [...new Set(files.flatMap((file) => find(file)[0] ?? []))];
}

// The file that an event is about, as rules name it: a field of the event, or what agents call the same thing.

/** Parameters of a tool that hold the same thing under other names, in the order in which they are looked for. */
const sameMeaning: { readonly [field: string]: readonly string[] } = {
  "tool.params.content": ["content", "file_text", "contents", "text"],
};

export const usualPathField = "tool.params.path";
export const usualContentField = "tool.params.content";

/** A field is named, not filled: a template in its place would be the path or the text already. */
export const inspectFields = (params: Fields, names: readonly string[]): Mismatch[] =>
  names.flatMap((name) => {
    const written = params[name];
    const isTemplate = typeof written === "string" && written.includes("{{");
    return isTemplate ? [{ path: [name], expected: "the name of a field, without braces", found: written }] : [];
  });

/** The value of a dotted field (`tool.params.path`) or of a parameter (`path`); text only. */
function textAt(field: string, scope: Scope): string | undefined {
  const dotted = field.includes(".") ? field : `tool.params.${field}`;
  const value = compileTemplate(`{{${dotted}}}`)(scope);
  if (typeof value === "string" && value !== "" && !value.startsWith("{{")) return value;
  const parameters = scope.event.data.tool_input;
  const names = Object.hasOwn(sameMeaning, dotted) ? (sameMeaning[dotted] ?? []) : [];
  const found = names.map((name) => own(parameters, name)).find((one) => typeof one === "string" && one !== "");
  return typeof found === "string" ? found : undefined;
}

const own = (fields: Json | undefined, name: string): Json | undefined =>
  isRecord(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined;

/** The file that the field names, as an absolute path; relative ones start from the event's folder. */
export function fileAt(field: string, scope: Scope): string | undefined {
  const path = textAt(field, scope);
  if (path === undefined) return undefined;
  return isAbsolute(path) ? path : resolve(scope.event.cwd, path);
}

/** The text that the field holds. */
export const contentAt = (field: string, scope: Scope): string | undefined => textAt(field, scope);

/** Whether the tool wrote a part of the file, so that its whole text is nowhere but on the disk. */
export const wroteAPart = ({ event }: Scope): boolean => {
  const tool = event.data.tool_name;
  return typeof tool === "string" && classOf(tool) === "write";
};
