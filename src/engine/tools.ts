/** The tools that agents have: their classes, and what of a call a tool pattern is compared with (R11, C73a). */
import type { Fields, Json } from "./event.ts";
import { isRecord } from "./schema.ts";

export const toolClassNames = ["shell", "write", "read", "search", "web", "mcp", "agent"] as const;
type ToolClass = (typeof toolClassNames)[number];

/**
 * How the text in brackets is compared with a call:
 * command: every simple command of a bash line · foreign: another shell's line, which nothing here can read ·
 * file: a path, as in .gitignore · text: the whole text, `*` for any part · host: `domain:NAME` with a URL's host.
 */
export type Comparison = "command" | "foreign" | "file" | "text" | "host";

export interface ToolRow {
  class?: ToolClass;
  compares: Comparison;
  /** Input fields in the order in which they are looked for. */
  fields: readonly string[];
}

const file: Pick<ToolRow, "compares" | "fields"> = { compares: "file", fields: ["file_path"] };

/** Names of one tool, which agents have renamed: rules take either (R99). */
const oneTool: { readonly [name: string]: string } = { Task: "Agent", Agent: "Task" };
export const otherNameOf = (tool: string): string | undefined =>
  Object.hasOwn(oneTool, tool) ? oneTool[tool] : undefined;

/** By canonical name. Tools that are not here have no class and are compared by `otherTool`. */
export const tools: { readonly [name: string]: ToolRow } = {
  Bash: { class: "shell", compares: "command", fields: ["command"] },
  PowerShell: { class: "shell", compares: "foreign", fields: ["command"] },
  Write: { class: "write", ...file },
  Edit: { class: "write", ...file },
  MultiEdit: { class: "write", ...file },
  NotebookEdit: { class: "write", compares: "file", fields: ["notebook_path", "file_path"] },
  Read: { class: "read", ...file },
  NotebookRead: { compares: "file", fields: ["notebook_path", "file_path"] },
  Glob: { class: "search", compares: "text", fields: ["pattern"] },
  Grep: { class: "search", compares: "text", fields: ["pattern"] },
  LS: { class: "search", compares: "file", fields: ["path"] },
  WebFetch: { class: "web", compares: "host", fields: ["url"] },
  WebSearch: { class: "web", compares: "text", fields: ["query"] },
  Agent: { class: "agent", compares: "text", fields: ["subagent_type"] },
  Task: { class: "agent", compares: "text", fields: ["subagent_type"] },
  Skill: { compares: "text", fields: ["skill", "command"] },
  SlashCommand: { compares: "text", fields: ["command"] },
};

/** How tools, those of servers too, name the files that a call is about; `tool.params.path` means the first that is there. */
export const pathFields: readonly string[] = [
  "path",
  "file_path",
  "notebook_path",
  "filePath",
  "absolute_path",
  "filename",
  "relative_path",
  "relativePath",
  "source",
  "destination",
];

/** Undefined: the call names no file. */
export function pathOfCall(input: Json | undefined): string | undefined {
  if (!isRecord(input)) return undefined;
  const named = pathFields.map((field) => (Object.hasOwn(input, field) ? input[field] : undefined));
  return named.find((one) => typeof one === "string" && one !== "") as string | undefined; // found by its type
}

/** Any other tool: the first of these fields that its input has; `pattern` is text, the others are paths. */
export const otherTool: ToolRow = { compares: "file", fields: ["file_path", "path", "pattern"] };

export const toolRow = (tool: string): ToolRow | undefined => (Object.hasOwn(tools, tool) ? tools[tool] : undefined);

/** Fields in which tools that nobody here knows are given a line, code or the words of a command to run (R102), without "_" and in small letters. */
const lineFields: ReadonlySet<string> = new Set(
  "command cmd script code line commandline cmdline shellcommand bashcommand shell bash exec argv".split(" "),
);
/** Several of them, each a line of its own. */
const manyFields: ReadonlySet<string> = new Set("commands cmds scripts lines".split(" "));
/** Only with `args` is it known for a program. */
const programFields: ReadonlySet<string> = new Set("program executable file binary bin".split(" "));
const deepest = 5;
const mostLines = 50;
/** Such a tool is a shell by its name: what nobody can tell of its line counts as it does for a shell. */
const shellName = /(?:^|_|-|\.)(?:shell|bash|sh|zsh|terminal|exec|execute|run)(?:$|_|-|\.|command|cmd)/i;

/** The shell line of a call, where it has one. Of a tool that is not known it is read for rules that deny or ask alone. */
export function lineOfCall(tool: string, input: Fields): { line: string; isShell: boolean } | undefined {
  const row = toolRow(tool);
  if (row !== undefined && row.class !== "shell") return undefined;
  if (row?.compares === "foreign") return undefined;
  const lines = row
    ? row.fields.flatMap((field) => joinedWords(Object.hasOwn(input, field) ? input[field] : undefined, input) ?? [])
    : linesIn(input);
  if (lines.length === 0) return undefined;
  return { line: lines.slice(0, mostLines).join("\n"), isShell: row !== undefined || shellName.test(tool) };
}

/** Wherever they stand: `args.script`, `arguments.command`, steps, JSON as a text. */
function linesIn(value: Json | undefined, depth = 0): string[] {
  if (depth > deepest) return [];
  if (typeof value === "string") return linesIn(parsed(value), depth + 1);
  if (Array.isArray(value)) return value.flatMap((one) => (typeof one === "object" ? linesIn(one, depth + 1) : []));
  if (!isRecord(value)) return [];
  const fields = value as Fields; // it is JSON
  return Object.entries(fields).flatMap(([name, one]) => {
    const plain = name.toLowerCase().replaceAll(/[_-]/g, "");
    if (manyFields.has(plain) && Array.isArray(one))
      return one.flatMap((each) => (typeof each === "string" ? each : linesIn(each, depth + 1)));
    const isLine = lineFields.has(plain) || (programFields.has(plain) && argsOf(fields).length > 0);
    return (isLine ? joinedWords(one, fields) : undefined) ?? linesIn(one, depth + 1);
  });
}

function parsed(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is a text like others
  }
}

const argsOf = ({ args, arguments: given }: Fields): string[] => {
  const words = Array.isArray(args) ? args : given;
  return Array.isArray(words) && words.every((one) => typeof one === "string") ? words : [];
};

/** A text is a line; a list is the words of one command, and so is a program with its `args`. */
function joinedWords(value: Json | undefined, fields: Fields): string | undefined {
  const more = argsOf(fields);
  if (typeof value === "string") return [value, ...more.map(quoted)].join(" ");
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === "string")) return undefined;
  return [...value, ...more].map(quoted).join(" ");
}

const quoted = (word: string): string => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The class of a canonical tool name, if it has one. */
export const classOf = (tool: string): ToolClass | undefined =>
  tool.startsWith("mcp__") ? "mcp" : toolRow(tool)?.class;

export const isToolClass = (name: string): name is ToolClass => toolClassNames.some((one) => one === name);

/**
 * What specification 003 calls the tools that coding agents have: module.action. A rule on one of these names means the
 * canonical tool too, in every agent (R11).
 */
const moduleNames: { readonly [canonical: string]: readonly string[] } = {
  Bash: ["shell.bash", "shell.run"],
  Write: ["filesystem.write", "workspace.write"],
  Edit: ["filesystem.edit", "workspace.edit"],
  MultiEdit: ["filesystem.multi_edit"],
  Read: ["filesystem.read", "workspace.read"],
  Glob: ["filesystem.glob", "workspace.glob"],
  Grep: ["filesystem.grep", "workspace.grep"],
  LS: ["filesystem.list", "workspace.list"],
  WebFetch: ["web.fetch"],
  WebSearch: ["web.search"],
  Agent: ["agent_spawn.agent"],
};

/** Other names of a canonical tool, for patterns that look at names. */
export const moduleNamesOf = (tool: string): readonly string[] =>
  Object.hasOwn(moduleNames, tool) ? (moduleNames[tool] ?? []) : [];

export const allModuleNames: readonly string[] = Object.values(moduleNames).flat();
