/** What Copilot CLI 1.0.102 calls its tools and their inputs, in both forms of its payloads; and what their results say. */
import type { Fields, Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import type { NativeTool, NativeTools } from "../native-tools.ts";

const path = { path: "file_path" };
const typed = { input: "command" }; // into a shell that runs already

const byOwnName = {
  bash: { is: "Bash" },
  write_bash: { is: "Bash", fields: typed },
  powershell: { is: "PowerShell" },
  write_powershell: { is: "PowerShell", fields: typed },
  create: { is: "Write", fields: { ...path, file_text: "content" } },
  edit: { is: "Edit", fields: { ...path, old_str: "old_string", new_str: "new_string" } },
  view: { is: "Read", fields: path },
  glob: { is: "Glob" },
  grep: { is: "Grep" },
  rg: { is: "Grep" },
  web_fetch: { is: "WebFetch" },
  web_search: { is: "WebSearch" },
  task: { is: "Agent", fields: { agent_type: "subagent_type" } },
  skill: { is: "Skill" },
} as const satisfies NativeTools;

const { create, edit, view, task } = byOwnName;
/** Entries with names as Claude Code's get its names too, and the inputs of the tools as they are. */
const byClaudesName: { readonly [name: string]: NativeTool } = {
  Write: create,
  Edit: edit,
  Read: view,
  Task: task,
  Agent: task,
};

export const tools: NativeTools = { ...byOwnName, ...byClaudesName };
export const ownNames: readonly string[] = Object.keys(byOwnName);

/** The last line of what a command of the shell printed; what came of it is told nowhere else. */
const ended = /<shellId: \S+ completed with exit code (?<code>\d+)>\s*$/;

/** Why the call failed, where its result is called a success all the same. */
export function failureIn(tool: string, response: Json | undefined): string | undefined {
  if (tool !== "Bash" || !isRecord(response)) return undefined;
  const { text_result_for_llm: text } = response;
  const code = typeof text === "string" ? ended.exec(text)?.groups?.code : undefined;
  return code === undefined || Number(code) === 0 ? undefined : `Exit code ${code}\n${text}`;
}

/** A result as Copilot takes one: what the model reads of it is text. */
export function resultOf(output: Json): Fields {
  const said = isRecord(output) ? output.text_result_for_llm : undefined;
  const text = said ?? output;
  return { resultType: "success", textResultForLlm: typeof text === "string" ? text : JSON.stringify(text) };
}

/**
 * The tool of a server, as others call it: server/tool at a request for permission, server-tool elsewhere, where a tool with a dash in
 * its own name cannot be told from a server with one. None of Copilot CLI's own tools has a dash.
 */
export function serverTool(written: string): string | undefined {
  const slash = written.indexOf("/");
  const at = slash > 0 ? slash : written.lastIndexOf("-");
  return at > 0 && !Object.hasOwn(tools, written) && !written.startsWith("mcp__")
    ? `mcp__${written.slice(0, at)}__${written.slice(at + 1)}`
    : undefined;
}
