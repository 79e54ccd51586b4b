/** Settings hooks that call a tool (Claude Code's mcp_tool): its words are read as a command's stdout would be. */
import type { Fields, Json } from "../core/event.ts";
import type { Handler } from "../core/ports.ts";
import { anything, isRecord, mapOf, object, say, text } from "../core/schema.ts";
import { printValue } from "../core/template.ts";
import { readAnswer, settings } from "../protocols/settings.ts";
import { writtenName } from "../protocols/written-name.ts";
import { shorten } from "./evidence.ts";
import { callTool, failedCall, wordsOf } from "./tool-call.ts";

export interface McpToolParams {
  server: string;
  tool: string;
  input?: Fields;
}

/** A server that cannot be reached, and an answer that is an error, block nothing: the hook has failed, and its policy answers. */
export const mcpTool: Handler<McpToolParams> = {
  params: object(
    { server: text("the MCP server"), tool: text("the tool of that server") },
    { input: say(mapOf(anything), "what it is given; ${tool_input.file_path} and the like are filled in", {}) },
  ),
  needs: ["tools"],
  async run({ server, tool, input = {} }, context) {
    const { event, hook } = context;
    const payload: Json = JSON.parse(settings.write(event, writtenName(hook, event.name), hook));
    const answer = await callTool(`${server}.${tool}`, fillFrom(payload, input), context);
    if ("reason" in answer) return failedCall(answer);
    const said = wordsOf(answer);
    return { ...readAnswer(said, event, hook.id), evidence: { stdout: shorten(said) } };
  },
};

const placeholder = /\$\{([^{}]+)\}/g;

/** `${a.b}` in every text, however deep. One that is the whole text keeps its value's type; what is missing is empty. */
function fillFrom(payload: Json, value: Json): Json {
  if (Array.isArray(value)) return value.map((one) => fillFrom(payload, one));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillFrom(payload, one as Json)])); // of JSON
  if (typeof value !== "string") return value;
  const whole = /^\$\{([^{}]+)\}$/.exec(value)?.[1];
  if (whole !== undefined) return find(payload, whole);
  return value.replace(placeholder, (_written, path: string) => printValue(find(payload, path)));
}

/** Own fields only, and the items of lists. */
function find(payload: Json, path: string): Json {
  let found: Json = payload;
  for (const key of path.trim().split(".")) {
    const next: Json | undefined = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    if (next === undefined || (Array.isArray(found) && !/^\d+$/.test(key))) return "";
    found = next;
  }
  return found;
}

/** A list is read by its indexes, as an object is by its keys. */
const isObject = (value: Json): value is Fields => typeof value === "object" && value !== null;
