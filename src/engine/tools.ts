/** The tools that agents have: their classes, and what of a call a tool pattern is compared with (R11, C73a). */
import type { Json } from "./event.ts";
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

/** The class of a canonical tool name, if it has one. */
export const classOf = (tool: string): ToolClass | undefined =>
  tool.startsWith("mcp__") ? "mcp" : toolRow(tool)?.class;

export const isToolClass = (name: string): name is ToolClass => toolClassNames.some((one) => one === name);

/** What a tool does with the files that its input names. */
export type FileUse = "writes" | "deletes" | "reads" | "searches";

/** By the words of its name, those of tools that no adapter knows: the first that fits wins, so `search_and_replace` writes. */
const verbs: readonly (readonly [FileUse, ReadonlySet<string>])[] = [
  ["deletes", new Set("delete remove rm trash unlink rmdir".split(" "))],
  [
    "writes",
    new Set(
      "write edit create update move mv rename replace apply append prepend insert patch copy cp save put modify overwrite touch multiedit mkdir symlink link extract unzip".split(
        " ",
      ),
    ),
  ],
  ["searches", new Set("grep search ripgrep rg".split(" "))],
  ["reads", new Set("read get view open cat load fetch show head tail resource".split(" "))],
];
/** They look, and tell no content. */
const lookingVerbs: ReadonlySet<string> = new Set(
  "list ls glob find tree stat info exists check lint diff status log analyze inspect describe count watch symbols references definition".split(
    " ",
  ),
);

const wordsOf = (tool: string): string[] =>
  (/__([^_].*)$/.exec(tool.replace(/^mcp__.*?(?=__)/, ""))?.[1] ?? tool)
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/);

/** Undefined: its name tells nothing of it. Agents' own tools are known by their class. */
export function fileUseOf(tool: string): FileUse | "looks" | undefined {
  const row = toolRow(tool);
  if (row?.class === "write") return "writes";
  if (row?.class === "read" || tool === "NotebookRead") return "reads";
  if (tool === "Grep") return "searches";
  if (row !== undefined) return "looks";
  const words = wordsOf(tool);
  return (
    verbs.find(([, all]) => words.some((word) => all.has(word)))?.[0] ??
    (words.some((word) => lookingVerbs.has(word)) ? "looks" : undefined)
  );
}

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
