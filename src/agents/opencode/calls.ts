/** OpenCode's tools by our names, and the calls that one of its calls means. */
import type { Fields, HookEvent, Json } from "../../engine/event.ts";
import { patchIn } from "../../engine/tool-input.ts";
import { canonicalCall, type NativeTools } from "../native-tools.ts";
import { patchCalls } from "../patches.ts";
import { textOf } from "../payload.ts";

/** A patch changes several files: one rewritten file cannot be put back into it. */
const judgedInParts = ["verdict", "messages"] as const;

const path = { filePath: "file_path" };
export const tools: NativeTools = {
  bash: { is: "Bash", folder: "workdir" },
  write: { is: "Write", fields: path },
  edit: {
    is: "Edit",
    fields: { ...path, oldString: "old_string", newString: "new_string", replaceAll: "replace_all" },
  },
  read: { is: "Read", fields: path },
  glob: { is: "Glob" },
  grep: { is: "Grep", fields: { include: "glob" } },
  list: { is: "LS" },
  webfetch: { is: "WebFetch" },
  websearch: { is: "WebSearch" },
  task: { is: "Agent" },
  skill: { is: "Skill", fields: { name: "skill" } },
  todowrite: { is: "TodoWrite" },
  todoread: { is: "TodoRead" },
};
export const patchTool = "apply_patch";

export interface Call {
  tool: string;
  args: Json;
  id: unknown;
  servers: unknown;
  cwd: string;
}
export type Called = Pick<HookEvent, "nativeTool" | "accepts"> & { data: Fields };

/** A tool of an MCP server is called SERVER_TOOL; only the plugin knows the servers. */
function serverOf(tool: string, servers: unknown): string | undefined {
  const known = Array.isArray(servers) ? servers.filter((one) => typeof one === "string") : [];
  const named = known.map((one) => one.replaceAll(/[^a-zA-Z0-9_-]/g, "_")).filter((one) => tool.startsWith(`${one}_`));
  return named.toSorted((left, right) => right.length - left.length)[0];
}

/** The calls that one call means: a patch is one for each of its files. */
export function callsIn({ tool, args, id, servers, cwd }: Call): Called[] {
  const identity: Fields = textOf(id) === undefined ? {} : { tool_use_id: String(id) };
  if (tool === patchTool)
    return patchCalls(patchIn(args), cwd).map(({ tool_name, tool_input }) => ({
      nativeTool: tool,
      accepts: judgedInParts,
      data: { tool_name, tool_input, ...identity },
    }));
  const server = serverOf(tool, servers);
  const { nativeTool, ...canonical } =
    server === undefined
      ? canonicalCall(tools, tool, args)
      : { tool_name: `mcp__${server}__${tool.slice(server.length + 1)}`, tool_input: args, nativeTool: tool };
  return [{ ...(nativeTool !== undefined && { nativeTool }), data: { ...canonical, ...identity } }];
}
