/** The read_file and list_files steps of automations (specification 000, 4.2 and 4.9). */

import { type Dirent, existsSync, realpathSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import type { GitReply } from "../../engine/external-services.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import { flag, integer, listOf, object, say, text } from "../../engine/schema.ts";
import { type FileHead, readFileHead } from "../../files/regular-file.ts";
import { isFolder } from "../command/command.ts";
import { placeFor } from "../repository.ts";
import { failed, fitted, noted } from "../step.ts";
import { contextStep, folderFor, isOverLimit } from "./context-step.ts";

const usualLines = 500;
export const mostCharacters = 50_000;
/** A character of UTF-8 has at most four bytes, and line ends may have two. */
const keptInBytes = 4 * mostCharacters + 1;

export const readFile: Handler = contextStep(
  {
    type: "read_file",
    summary: "Reads the beginning of a text file.",
    limit: 30,
    gives: { content: "its lines, without line breaks at the end; up to 50,000 characters" },
  },
  {
    params: object(
      {},
      {
        path: say(text(), "the file; a relative path starts at the project's workspace", ""),
        max_lines: say(integer(undefined, 1), "maximum number of lines to read", usualLines),
      },
    ),
    async run({ path = "", max_lines: asked }, context) {
      if (path === "") throw new Error("path is required");
      const head = await headOf(placeFor(path, context));
      const all = textOf(head, path).split(/\r\n|\n|\r/);
      const lines = all.slice(0, asked ?? usualLines);
      const goesOn = "isWhole" in head && !head.isWhole && lines.length === all.length;
      const { text: content, notes } = fitted(lines.join("\n").replace(/\n+$/, ""), mostCharacters, {
        name: "content",
        goesOn,
      });
      const left = asked === undefined ? linesLeft(all, lines, head) : ""; // who asks for so many lines gets those
      return { ok: true, output: { content: `${content}${left}` }, ...noted(notes) };
    },
  },
);

/** Where lines are left out, and how many, as far as that is known. */
function linesLeft(all: readonly string[], { length }: readonly string[], head: FileHead): string {
  const left = all.slice(length).join("").trim() === "" ? 0 : all.length - length - (all.at(-1) === "" ? 1 : 0);
  const more = "isWhole" in head && !head.isWhole ? "at least " : "";
  return left === 0 ? "" : `\n[cut: ${more}${left} lines follow these ${length}]`;
}

async function headOf(place: string): Promise<FileHead> {
  try {
    return await readFileHead(place, keptInBytes);
  } catch (error) {
    throw new Error(sentences[codeOf(error)]?.(place) ?? String(error), { cause: error });
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");
const sentences: Readonly<Record<string, (place: string) => string>> = {
  ENOENT: (place) => `there is no file ${place}`,
  ENOTDIR: (place) => `there is no file ${place}`,
  EISDIR: (place) => `${place} is a folder`,
  EACCES: (place) => `${place} may not be read by this user`,
};

/** Throws a sentence where it is no text. */
function textOf(head: FileHead, path: string): string {
  if ("refused" in head) throw new Error(`${path}: ${head.refused}`);
  if (head.bytes.includes(0)) throw new Error(`${path} is no text file: it holds NUL bytes`);
  return new TextDecoder().decode(head.bytes); // leaves a byte order mark out
}

interface ListFilesParams {
  path?: string;
  recursive?: boolean;
  extensions?: string[];
  max_files?: number;
}
type ListedFile = { path: string; size: number; mtime: number };

const usualFiles = 200;

export const listFiles: Handler = contextStep(
  {
    type: "list_files",
    summary: "Lists the files of a folder.",
    limit: 30,
    gives: {
      files: "of each: `path` from the folder, `size` in bytes, `mtime` in seconds; in the order of the paths",
      count: "how many",
      directory: "the folder, as an absolute path",
      content: "the paths, one a line",
    },
  },
  {
    params: object(
      {},
      {
        path: say(text(), "the folder; a relative path starts at the project's workspace", "."),
        recursive: say(flag, "the folders in it too; links to folders are not followed", false),
        extensions: say(
          listOf(text()),
          "only files whose names end with one of these, such as [.md, .txt] (default: all files)",
        ),
        max_files: say(integer(undefined, 1), "maximum number of files", usualFiles),
      },
    ),
    async run(params, context) {
      try {
        return await list(params, context);
      } catch (error) {
        if (context.signal.aborted) throw error;
        const reason = messageOf(error);
        return failed("error", reason, { error: reason, files: [] });
      }
    },
  },
);

async function list(
  { path = ".", recursive = false, extensions = [], max_files: most = usualFiles }: ListFilesParams,
  context: StepContext,
): Promise<StepResult> {
  const directory = placeFor(path, context);
  if (!isFolder(directory)) throw new Error(`Not a directory: ${path}`);
  const files: ListedFile[] = [];
  const notes: string[] = [];
  for await (const found of filesIn(directory, { recursive, notes })) {
    context.signal.throwIfAborted();
    if (!isWanted(found, extensions)) continue;
    if (files.length === most) {
      notes.push(`there are more than ${most} files`);
      break;
    }
    const listed = await lookAt(directory, found);
    if (listed) files.push(listed);
  }
  const content = files.map((one) => one.path).join("\n");
  const output = { files, count: files.length, directory, content };
  return { ok: true, output, ...noted(notes) };
}

const isWanted = (path: string, extensions: readonly string[]): boolean =>
  extensions.length === 0 || extensions.some((end) => path.endsWith(end));

/** Paths from the folder, with forward slashes, in their order as text. */
async function* filesIn(
  folder: string,
  wish: { recursive: boolean; notes: string[] },
  prefix = "",
): AsyncGenerator<string> {
  for (const { entry, name } of await entriesOf(folder, prefix, wish.notes)) {
    if (entry.isFile()) yield `${prefix}${name}`;
    else if (wish.recursive) yield* filesIn(join(folder, entry.name), wish, `${prefix}${name}`);
  }
}

/** A folder's name ends with the slash that its files' paths go on with: so the order of names is that of paths. */
async function entriesOf(folder: string, prefix: string, notes: string[]): Promise<{ entry: Dirent; name: string }[]> {
  return (await readFolder(folder, prefix, notes))
    .filter((entry) => !entry.name.startsWith(".") && (entry.isFile() || entry.isDirectory()))
    .map((entry) => ({ entry, name: entry.isFile() ? entry.name : `${entry.name}/` }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** A folder inside that is not for us hides no others. */
async function readFolder(folder: string, prefix: string, notes: string[]): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (prefix === "") throw error;
    notes.push(`${prefix} could not be read`);
    return [];
  }
}

/** undefined: it went away meanwhile. */
async function lookAt(folder: string, path: string): Promise<ListedFile | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(folder, path));
    return { path, size, mtime: mtimeMs / 1000 };
  } catch {
    return undefined; // a list of files is of those that are there
  }
}

// The git_diff and file_diff steps of automations (specification 000, 4.5 and 4.10).

const diffLimit = 30;
/** So that the end of most is known. */
const diffInBytes = 40 * mostCharacters;

/** Drivers and text converters are programs that a repository may name; colours are for terminals. */
const plainly = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"];

/** @param what which states are compared, and of what */
async function askForDiff(folder: string, what: readonly string[], context: StepContext): Promise<GitReply> {
  const { ports, signal } = context;
  if (!ports.git) throw new Error("nothing here can ask git");
  const words = ["--literal-pathspecs", "diff", ...plainly, ...what];
  // The step's own limit comes first; git's ends what no step waits for.
  return ports.git({ folder, words, limit: diffLimit + 1, keptInBytes: diffInBytes }, signal);
}

/** @param others fields of the result beside those of every diff */
function diffResult(reply: GitReply, { signal, timeout }: StepContext, others: Fields = {}): StepResult {
  if (reply.ok) {
    const { text: diff, notes } = fitted(reply.stdout, mostCharacters, { name: "diff", goesOn: reply.cut === true });
    return { ok: true, output: { diff, ...others, exit_code: 0 }, ...noted(notes) };
  }
  const isLate = isOverLimit(signal);
  const error = isLate ? `git diff timed out after ${timeout}s` : reply.reason;
  return failed(isLate ? "timeout" : "exit", error, { diff: "", ...others, exit_code: reply.code ?? -1, error });
}

export const gitDiff: Handler = contextStep(
  {
    type: "git_diff",
    summary: "Shows what the current branch has changed since it left another branch: `git diff <base_branch>...HEAD`.",
    limit: diffLimit,
    gives: {
      diff: "git's output, up to 50,000 characters",
      exit_code: "git's exit code; -1: it did not end by itself",
    },
  },
  {
    params: object(
      {},
      {
        workspace: say(text(), "a folder of the repository; a relative path starts at the project's workspace", "."),
        base_branch: say(text(), "the branch, tag or commit to compare with", "main"),
      },
    ),
    needs: ["git"],
    async run({ workspace = ".", base_branch: base = "main" }, context) {
      const folder = folderFor(workspace, context);
      if (base.trim() === "") throw new Error("base_branch is empty");
      if (base.startsWith("-")) throw new Error(`base_branch is no branch: ${base}`);
      return diffResult(await askForDiff(folder, [`${base}...HEAD`, "--"], context), context);
    },
  },
);

export const fileDiff: Handler = contextStep(
  {
    type: "file_diff",
    summary: "Shows how a file differs from its last commit: `git diff HEAD -- <path>`.",
    limit: diffLimit,
    gives: {
      diff: "git's output, up to 50,000 characters; empty where nothing differs, or git does not know the file",
      path: "the file, as an absolute path",
      exit_code: "git's exit code; -1: it did not end by itself",
    },
  },
  {
    params: object(
      {},
      {
        path: say(text(), "the file; a relative path starts at the workspace", ""),
        workspace: say(text(), "a folder of the repository; a relative path starts at the project's workspace", "."),
      },
    ),
    needs: ["git"],
    async run({ path = "", workspace = "." }, context) {
      if (path === "") throw new Error("path is required");
      const folder = folderFor(workspace, context);
      const file = resolve(folder, path);
      placeFor(dirname(file), context); // of a link git shows where it leads, and does not go there
      return diffResult(await differenceOf(asGitNames(file), folder, context), context, { path: file });
    },
  },
);

/** What is new differs from nothing; before the first commit all is, and there is no HEAD to compare with. */
async function differenceOf(file: string, folder: string, context: StepContext): Promise<GitReply> {
  const now = await askForDiff(folder, ["HEAD", "--", file], context);
  const isBlank = now.ok ? now.stdout.trim() === "" : now.reason.includes("bad revision 'HEAD'");
  return isBlank ? askForDiff(folder, ["--cached", "--", file], context) : now;
}

/** Git knows the real folder, where the path may go through a link. The file itself may be gone, or be a link. */
function asGitNames(file: string): string {
  const folder = dirname(file);
  return existsSync(folder) ? join(realpathSync(folder), basename(file)) : file;
}
