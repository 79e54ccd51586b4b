/** Files that an event names itself, and what names of changed files start from. Apart, because conditions find them and handlers work on them. */
import type { Fields, HookEvent, Json } from "./event.ts";
import { rowOf } from "./events.ts";
import { resolvePath } from "./file-pattern.ts";
import { classOf, toolRow } from "./tools.ts";

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

/** What it lists, or the file that a writing tool is about: nobody has to look for changes. Undefined: none. */
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
  leftOut === 1 ? "1 file or folder was not looked at" : `${leftOut} files and folders were not looked at`;
