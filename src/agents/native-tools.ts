/** An agent's own tools by ours: names and input fields, there and back. Hooks see ours; the agent gets its own (R11). */
import type { Fields, HookEvent, Json } from "../engine/event.ts";
import { isFields } from "../engine/schema.ts";

export interface NativeTool {
  /** What it is called here. */
  is: string;
  /** Its input fields that are called otherwise here: theirs → ours. Those that are not listed keep their names. */
  fields?: Readonly<Record<string, string>>;
  /** Its input field that names the folder in which its `command` runs. */
  folder?: string;
  /** Where names are not all that differs; both keep what they do not know. */
  read?(input: Fields): Fields;
  write?(input: Fields): Fields;
}
export type NativeTools = Readonly<Record<string, NativeTool>>;

const toolOf = (tools: NativeTools, name: string): NativeTool | undefined =>
  Object.hasOwn(tools, name) ? tools[name] : undefined;

/** A call as hooks see it. A tool that is not in the table keeps its name and its input. */
export function canonicalCall(
  tools: NativeTools,
  name: string,
  input: Json | undefined,
): Pick<HookEvent, "nativeTool"> & { tool_name: string; tool_input: Json } {
  const tool = toolOf(tools, name);
  const given: Json = input ?? {};
  if (!tool) return { tool_name: name, tool_input: given };
  const own = tool.is === name ? {} : { nativeTool: name };
  if (!isFields(given)) return { tool_name: tool.is, tool_input: given, ...own };
  const renamed = withNames(given, tool.fields ?? {});
  const read = tool.read?.(renamed) ?? renamed;
  return { tool_name: tool.is, tool_input: inItsFolder(tool, read, lineIn), ...own };
}

/** The input of a call as the agent's own tool takes it. */
export function nativeInput(tools: NativeTools, name: string, input: Fields): Fields {
  const tool = toolOf(tools, name);
  if (!tool) return input;
  const back = Object.fromEntries(Object.entries(tool.fields ?? {}).map(([theirs, ours]) => [ours, theirs]));
  const written = tool.write?.(input) ?? input;
  return withNames(inItsFolder(tool, written, lineWithin), back);
}

function inItsFolder(tool: NativeTool, input: Fields, changed: (folder: string, line: string) => string): Fields {
  const { command } = input;
  const folder = tool.folder === undefined ? undefined : input[tool.folder];
  if (typeof command !== "string" || typeof folder !== "string" || folder === "") return input;
  return { ...input, command: changed(folder, command) };
}

/**
 * A line that an agent runs in another folder than its session's, as one that goes there first. The session's folder stays that of the
 * event: by the other one a model could choose whose hooks judge it.
 */
export const lineIn = (folder: string, line: string): string => `${goingTo(folder)}${line}`;

/** The line of a rewritten call, as it runs in that folder. */
export const lineWithin = (folder: string, line: string): string =>
  line.startsWith(goingTo(folder)) ? line.slice(goingTo(folder).length) : line;

const goingTo = (folder: string): string => `cd '${folder.replaceAll("'", "'\\''")}' && `;

/** A field that the agent's tool does not know may have the name that one of its own gets: its own is what runs. */
function withNames(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  const renamed = Object.entries(names).flatMap(([from, to]) =>
    Object.hasOwn(fields, from) ? [[to, fields[from]]] : [],
  );
  const rest = Object.entries(fields).filter(([key]) => !Object.hasOwn(names, key));
  return Object.fromEntries([...rest, ...renamed]);
}
