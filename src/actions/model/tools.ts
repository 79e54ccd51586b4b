/** The tools of hooks that ask a model: an allow list (R28) over the project's files and over the tools that the project has. */

import { constants } from "node:fs";
import { type FileHandle, lstat, open, opendir, realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { Fields, HookEvent } from "../../engine/event.ts";
import type { ModelTool, ToolInfo, Tools } from "../../engine/external-services.ts";
import type { Hook } from "../../engine/hook.ts";
import { isForPerson } from "../../engine/loosening.ts";
import { namesTool, ownModule } from "../../engine/named.ts";
import { nearest } from "../../engine/nearest.ts";
import type { StepContext } from "../../engine/ports.ts";
import { printValue } from "../../engine/template.ts";
import { isInside } from "../../files/paths.ts";
import { ownFolder } from "../command/environment.ts";

type Allowed = readonly string[] | "all";

/** Of an agent hook; without a list those that read the project's files. Rejects with tool_unknown. */
export async function hookTools(allowed: Allowed | undefined, context: StepContext): Promise<ModelTool[]> {
  const files = fileTools(projectFolder(context));
  return allowed === undefined ? files : toolsAmong(allowed, files, context);
}

/** Of an automation; without a list those that read the project's files and records. Rejects with tool_unknown. */
export async function automationTools(allowed: Allowed | undefined, context: StepContext): Promise<ModelTool[]> {
  const files = fileTools(context.hook.origin.root ?? context.event.cwd);
  return allowed === undefined
    ? [...files, ...(await readingOperations(context))]
    : toolsAmong(allowed, files, context);
}

/** Those of the files' tools and of the project's that the list names. */
async function toolsAmong(allowed: Allowed, files: readonly ModelTool[], context: StepContext): Promise<ModelTool[]> {
  const own = allowed === "all" ? files : files.filter(({ name }) => allowed.includes(name));
  const others = allowed === "all" ? ["*"] : allowed.filter((name) => !files.some((tool) => tool.name === name));
  if (others.length === 0 || (allowed === "all" && !context.ports.tools)) return [...own];
  return [...own, ...(await projectTools(others, files, context))];
}

/** Below what was written in a project, its folder; below what was written elsewhere, the session's. */
function projectFolder({ event, hook }: StepContext): string {
  const root = ownFolder(hook);
  return root !== undefined && isInside(root, event.cwd) ? root : event.cwd;
}

async function projectTools(
  names: readonly string[],
  files: readonly ModelTool[],
  context: StepContext,
): Promise<ModelTool[]> {
  const { event, hook, ports, signal } = context;
  const tools = await ports.tools?.(event, hook);
  const isOwn = names.every((name) => name.startsWith(`${ownModule}.`));
  const listed = tools ? await tools.list(signal, isOwn ? ownModule : undefined) : [];
  const known = listed.filter(({ name }) => !isOfPerson(name));
  const chosen = new Set<ToolInfo>();
  for (const name of names) {
    const found = known.filter((tool) => namesTool(name, tool.name));
    if (found.length === 0 && name !== "*") throw noTool(name, [...files, ...known], context);
    for (const tool of found) chosen.add(tool);
  }
  return tools ? [...chosen].map((tool) => asModelTool(tool, tools, placed(event, hook))) : [];
}

/** What loosens Hookline is no tool of a model, whatever its list says (R92). */
const isOfPerson = (name: string): boolean =>
  name.startsWith(`${ownModule}.`) && isForPerson(name.slice(ownModule.length + 1));

/** The engine's operations that change nothing, kept to the hook's own project; no server is started for it. */
async function readingOperations({ event, hook, ports, signal }: StepContext): Promise<ModelTool[]> {
  const all = await ports.tools?.(event, hook);
  const tools = hook.project === undefined ? undefined : all?.within?.(hook.project);
  if (!tools) return [];
  const known = await tools.list(signal, ownModule);
  return known
    .filter(({ name, readOnly }) => readOnly && name.startsWith(`${ownModule}.`))
    .map((tool) => asModelTool(tool, tools, placed(event, hook)));
}

/** Hooks that belong to a project work there, wherever their events come from. */
const placed = (event: HookEvent, { project, origin }: Hook): HookEvent =>
  project !== undefined && origin.root !== undefined ? { ...event, cwd: origin.root } : event;

const asModelTool = (
  { name, description = name, input = { type: "object" } }: ToolInfo,
  tools: Pick<Tools, "call">,
  event: HookEvent,
): ModelTool => ({
  name,
  description,
  input,
  ...(name.startsWith(`${ownModule}.`) ? {} : { from: `the tool ${name} of a server` }),
  async call(given, signal, key) {
    const { ok, output } = await tools.call(name, given, signal, event, key);
    if (!ok) throw new Error(printValue(output));
    return output;
  },
});

function noTool(name: string, known: readonly { name: string }[], { hook }: StepContext): HooklineError {
  const names = known.map((tool) => tool.name);
  const near = nearest(name, names);
  return new HooklineError("tool_unknown", {
    name,
    where: `the hook ${hook.name}`,
    ...(near ? { near } : { advice: `known: ${names.join(", ")}` }),
  });
}

// Looking at a project's files for a model: never outside of its folder, whatever the links in it say, and never much
// at once.

const readLimit = 48 * 1024;
const searchedFileLimit = 1 << 20;
const entriesAtMost = 500;
const foldersAtMost = 5_000;
const matchesAtMost = 100;
/** Large, and not the project's own words. */
const skipped: ReadonlySet<string> = new Set([".git", "node_modules"]);

const property = (type: string, description: string): Fields => ({ type, description });
const input = (properties: Fields, required: string[]): Fields => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** Each rejects with a sentence for the model. */
export const fileTools = (root: string): ModelTool[] => [
  {
    name: "read_file",
    description: "Reads a text file of the project. Long files come in parts: ask again with the next offset.",
    input: input(
      { path: property("string", "relative to the project"), offset: property("integer", "where to begin, in bytes") },
      ["path"],
    ),
    call: async ({ path, offset }) =>
      readFile(root, textOf(path, "path"), typeof offset === "number" ? Math.max(0, offset) : 0),
  },
  {
    name: "list_files",
    description: "Lists the files below a folder of the project; folders end with a slash.",
    input: input({ path: property("string", "a folder, relative to the project; . is all of it") }, []),
    call: async ({ path }, signal) => listFiles(root, textOf(path ?? ".", "path"), signal),
  },
  {
    name: "search",
    description: "Finds lines that hold a text in the project's files. Plain text, no pattern; case does not count.",
    input: input(
      {
        text: property("string", "what to look for"),
        path: property("string", "a file or folder to look in; . is all"),
      },
      ["text"],
    ),
    call: async ({ text, path }, signal) => search(root, textOf(text, "text"), textOf(path ?? ".", "path"), signal),
  },
];

function textOf(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`${name} needs text`);
}

/** The real path, if that lies in the project. */
async function inside(root: string, path: string): Promise<string> {
  const [base, real] = await Promise.all([realpath(root), found(resolve(root, path), path)]);
  if (isInside(base, real)) return real;
  throw new Error(`${path} lies outside of the project`);
}

async function found(full: string, path: string): Promise<string> {
  try {
    return await realpath(full);
  } catch {
    throw new Error(`there is no ${path}`);
  }
}

/** Opens no link and waits for no pipe. */
async function withFile<T>(
  real: string,
  path: string,
  use: (file: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(real, flags).catch((error: unknown) => {
    throw failureAt(path, error);
  });
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error(`${path} is no file`);
    return await use(file, status.size);
  } finally {
    await file.close();
  }
}

async function readFile(root: string, path: string, offset: number): Promise<Fields> {
  const real = await inside(root, path);
  return withFile(real, path, async (file, size) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(readLimit), 0, readLimit, offset);
    const piece = buffer.subarray(0, bytesRead);
    if (piece.includes(0)) throw new Error(`${path} is no text`);
    const end = offset + bytesRead;
    return { text: piece.toString("utf8"), size, ...(end < size ? { next_offset: end } : {}) };
  });
}

interface Entry {
  /** Relative to the project, with slashes. */
  path: string;
  real: string;
  isFolder: boolean;
}

/** Files and folders below one, in order; links are named nowhere, so they are followed nowhere. */
async function* entriesBelow(base: string, folder: string, signal: AbortSignal): AsyncGenerator<Entry> {
  const waiting = [folder];
  for (let count = 0; waiting.length > 0 && count < foldersAtMost && !signal.aborted; count++) {
    const current = waiting.shift() ?? folder;
    const entries = await entriesIn(base, current).catch((error: unknown) => {
      if (current === folder || !isPassedOver(error)) throw error;
      return [];
    });
    for (const entry of entries) {
      if (entry.isFolder) waiting.push(entry.real);
      yield entry;
    }
  }
}

async function entriesIn(base: string, folder: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(folder)) {
    if (skipped.has(entry.name) || !(entry.isFile() || entry.isDirectory())) continue;
    const real = resolve(folder, entry.name);
    entries.push({ path: relative(base, real).split(sep).join("/"), real, isFolder: entry.isDirectory() });
  }
  return entries.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Not for us to read, or gone since it was found. */
const isPassedOver = (error: unknown): boolean =>
  ["EACCES", "EPERM", "ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** With the path as the model wrote it: real paths outside of the project stay unnamed. */
function failureAt(path: string, error: unknown): unknown {
  const code = codeOf(error);
  return code === undefined ? error : new Error(sentences[code]?.(path) ?? `${path} cannot be read: ${code}`);
}
const sentences: { readonly [code: string]: (path: string) => string } = {
  ENOTDIR: (path) => `${path} is no folder`,
  ENOENT: (path) => `there is no ${path}`,
  EACCES: (path) => `${path} may not be read`,
  EPERM: (path) => `${path} may not be read`,
};

async function listFiles(root: string, path: string, signal: AbortSignal): Promise<Fields> {
  const [base, folder] = [await realpath(root), await inside(root, path)];
  const names: string[] = [];
  for await (const entry of below(base, folder, path, signal)) {
    if (names.length === entriesAtMost) return { files: names, cut: true };
    names.push(entry.isFolder ? `${entry.path}/` : entry.path);
  }
  return { files: names };
}

async function* below(base: string, folder: string, path: string, signal: AbortSignal): AsyncGenerator<Entry> {
  try {
    yield* entriesBelow(base, folder, signal);
  } catch (error) {
    throw failureAt(path, error);
  }
}

async function search(root: string, wanted: string, path: string, signal: AbortSignal): Promise<Fields> {
  const [base, real] = [await realpath(root), await inside(root, path)];
  const matches: string[] = [];
  for await (const file of filesAt(base, real, path, signal)) {
    for (const match of await matchesIn(file, wanted.toLowerCase())) {
      if (matches.length === matchesAtMost) return { matches, cut: true };
      matches.push(match);
    }
  }
  return { matches };
}

async function* filesAt(base: string, real: string, path: string, signal: AbortSignal): AsyncGenerator<Entry> {
  if ((await lstat(real)).isFile()) yield { path: relative(base, real), real, isFolder: false };
  else for await (const entry of below(base, real, path, signal)) if (!entry.isFolder) yield entry;
}

const longestLine = 240;

async function matchesIn({ path, real }: Entry, wanted: string): Promise<string[]> {
  try {
    return await withFile(real, path, async (file, size) => {
      if (size > searchedFileLimit) return [];
      const content = await file.readFile();
      if (content.includes(0)) return [];
      const lines = content.toString("utf8").split("\n");
      return lines.flatMap((line, index) =>
        line.toLowerCase().includes(wanted) ? [`${path}:${index + 1}: ${line.trim().slice(0, longestLine)}`] : [],
      );
    });
  } catch {
    return []; // gone, or not for us to read
  }
}
