/** What Gemini CLI 0.61.0 calls its tools and their inputs; and what their results say. */

import type { Fields, Json } from "../../engine/event.ts";
import { isRecord } from "../../engine/schema.ts";
import type { NativeTools } from "../native-tools.ts";
import { wordOf } from "../payload.ts";

const inFolder = { dir_path: "path" };

export const tools: NativeTools = {
  run_shell_command: { is: "Bash", folder: "dir_path" },
  write_file: { is: "Write" },
  replace: { is: "Edit", fields: { allow_multiple: "replace_all" } },
  read_file: { is: "Read" },
  list_directory: { is: "LS", fields: inFolder },
  glob: { is: "Glob", fields: inFolder },
  grep_search: { is: "Grep", fields: inFolder },
  search_file_content: { is: "Grep", fields: inFolder },
  web_fetch: { is: "WebFetch", read: withUrl, write: withoutUrl },
  google_web_search: { is: "WebSearch" },
  invoke_agent: { is: "Agent", fields: { agent_name: "subagent_type" } },
  activate_skill: { is: "Skill", fields: { name: "skill" } },
};
export const ownNames: readonly string[] = [...Object.keys(tools), "read_many_files", "save_memory", "write_todos"];

/** Its addresses stand in a text. Several cannot be said as one: then none is, and who asks for the host knows nothing of it. */
const addressIn = (prompt: Json | undefined): string | undefined => {
  const found = new Set(typeof prompt === "string" ? prompt.match(/\bhttps?:\/\/[^\s"'<>)\]]+/gi) : []);
  const [only] = found;
  return found.size === 1 ? only : undefined;
};

function withUrl(input: Fields): Fields {
  const url = "url" in input ? undefined : addressIn(input.prompt);
  return url === undefined ? input : { ...input, url };
}

function withoutUrl(input: Fields): Fields {
  const { url, prompt, ...rest } = input;
  const told = addressIn(prompt);
  if (typeof url !== "string" || typeof prompt !== "string" || told === undefined) return input;
  return { ...rest, prompt: prompt.replaceAll(told, () => url) };
}

/** Of a shell command that ended with another code than 0, only the text says so; its last such line is Gemini CLI's own. */
export function failureIn(tool: string, response: Json | undefined): string | undefined {
  if (!isRecord(response)) return undefined;
  const { error, llmContent } = response;
  if (isRecord(error)) return wordOf(error.message) || "failed";
  if (tool !== "Bash" || typeof llmContent !== "string") return undefined;
  const code = llmContent
    .match(/^Exit Code: (\d+)$/gm)
    ?.at(-1)
    ?.slice("Exit Code: ".length);
  return code === undefined || code === "0" ? undefined : `Exit code ${code}\n${llmContent}`;
}

/** The tool of a server, as others call it. */
export function serverTool(context: Json | undefined): string | undefined {
  if (!isRecord(context)) return undefined;
  const { server_name, tool_name } = context;
  return typeof server_name === "string" && typeof tool_name === "string"
    ? `mcp__${server_name}__${tool_name}`
    : undefined;
}
