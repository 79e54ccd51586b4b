/** Agents that have taken Claude Code's form over: its groups of hooks in a settings file, its fields in payloads, its words in answers. Each is a table of what differs. */
import { isAbsolute, join } from "node:path";
import type { AgentEventName, Fields, HookEvent } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import type { Layer } from "../../engine/hook.ts";
import { fieldsIn } from "../../engine/schema.ts";
import { tools } from "../../engine/tools.ts";
import { realOf } from "../../files/paths.ts";
import {
  type AgentAdapter,
  type DecodeOptions,
  type InstallLayer,
  installLayers,
  type LoadedCode,
  type Places,
  type ProgramVariables,
} from "../adapter.ts";
import { asContinuation, isContinuation } from "../continuation.ts";
import { canonicalCall, type NativeTools, nativeInput } from "../native-tools.ts";
import { type Call, patchCalls } from "../patches.ts";
import { agentIn, deliveryOf, eventNamed, fieldsOf, placeOf, stopAtEnd, textOf } from "../payload.ts";
import {
  additional,
  createReplies,
  permission,
  type ReplyRow,
  type ReplyRows,
  reasonOf,
  shown,
  stopped,
} from "../replies.ts";

/** permission: permissionDecision; block: decision and reason; continue: the same, on an event where that means going on. */
type Refusal = "permission" | "block" | "continue";

interface Shape {
  name: string;
  title: string;
  program: AgentAdapter["program"];
  /** Of the person and of a project, with the settings files in it; a project's local one, if the agent has such a thing. */
  folder: string;
  file: string;
  local?: string;
  rows: ReplyRows<ReplyRow<Refusal>>;
  tools: NativeTools;
  /** The tool that gets a patch of several files as the text in this field. */
  patches?: { tool: string; field: string };
  /** What stands between a server of tools and its tool. Absent: their names are those of Claude Code. */
  betweenServerAndTool?: string;
  variables: ProgramVariables;
  loads?: LoadedCode;
  switches: Readonly<Record<string, string>>;
}

export function claudeShaped(shape: Shape): AgentAdapter {
  const { name, title, folder, file, local, patches } = shape;
  const where = `the payload of ${name}`;
  const replies = createReplies(shape.rows, {
    top: (row, outcome, { event }) => {
      const reason = reasonOf(outcome);
      const isDenied = outcome.verdict?.is === "deny";
      return {
        ...stopped(outcome),
        ...(isDenied && row.refuses === "block" && { decision: "block", reason }),
        ...(isDenied &&
          row.refuses === "continue" && { decision: "block", reason: asContinuation(reason, event.session) }),
        ...(row.accepts.includes("messages") && shown(row, outcome)),
      };
    },
    specific: (row, outcome, { wire }) => ({
      ...(row.refuses === "permission" && permission(outcome)),
      ...(outcome.updatedInput &&
        outcome.verdict?.is !== "deny" && {
          updatedInput: nativeInput(shape.tools, textOf(fieldsIn(wire).tool_name) ?? "", outcome.updatedInput),
        }),
      ...additional(row, outcome),
    }),
  });
  const { capabilities, verdicts, events } = replies;

  const fileOf = (layer: InstallLayer, { home, root }: Places): string =>
    join(layer === "user" ? home : root, folder, layer === "local" ? (local ?? file) : file);
  const layers = installLayers.filter((layer) => layer !== "local" || local !== undefined);

  function callsIn(data: Fields, cwd: string): readonly (Call | undefined)[] {
    const tool = textOf(data.tool_name);
    if (tool === undefined) return [undefined];
    if (tool !== patches?.tool) return [ofServer(tool, data) ?? canonicalCall(shape.tools, tool, data.tool_input)];
    const patched = patchCalls(textOf(fieldsIn(data.tool_input)[patches.field]) ?? "", cwd);
    return patched.length > 0
      ? patched.map((call) => ({ ...call, nativeTool: tool }))
      : [canonicalCall(shape.tools, tool, data.tool_input)];
  }

  function ofServer(tool: string, { tool_input = {} }: Fields): Call | undefined {
    const mark = shape.betweenServerAndTool;
    if (mark === undefined || !tool.includes(mark) || Object.hasOwn(shape.tools, tool)) return undefined;
    return { tool_name: `mcp__${tool.replace(mark, "__")}`, tool_input, nativeTool: tool };
  }

  function decode(wire: unknown, options: DecodeOptions): HookEvent[] {
    const { session_id, cwd, hook_event_name, ...data } = fieldsOf(wire, where);
    const event = eventNamed(hook_event_name ?? options.event, where);
    const session = textOf(session_id);
    if (event === "UserPromptSubmit" && isContinuation(data.prompt, session)) return [];
    const place = placeOf({ session, cwd, given: options.cwd, where });
    const isPatch = data.tool_name === patches?.tool;
    const accepts = (capabilities[event] ?? []).filter((field) => !(isPatch && field === "updatedInput"));
    return callsIn(rowOf(event).matchTool ? data : {}, place.cwd).map((call, index) => ({
      id: options.id(),
      name: event,
      at: options.at,
      ...place,
      data: { ...(event === "SubagentStop" && { status: "completed" }), ...data, ...call },
      sender: name,
      accepts,
      ...(verdicts[event] && { verdicts: verdicts[event] }),
      ...(call?.nativeTool !== undefined && { nativeTool: call.nativeTool }),
      ...agentIn(data),
      ...deliveryOf(event, { session, happening: happeningOf(event, data, index), by: options.registration }),
    }));
  }

  return {
    name,
    title,
    program: shape.program,
    capabilities,
    verdicts,
    sends: new Set<AgentEventName>([...events, "SessionStop"]),
    decode,
    derived: stopAtEnd,
    encode: replies.encode,
    refuse: replies.refuse,
    canary: (event, { session, cwd }) => ({ hook_event_name: event, session_id: session, cwd }),
    files: {
      agent: name,
      format: { name, family: name, tools: [...Object.keys(tools), ...Object.keys(shape.tools)], ignoresFlat: title },
      user: ({ home }) => ({ path: join(home, folder, file), label: `~/${folder}/${file}` }),
      project: `${folder}/${file}`,
      ...(local !== undefined && { local: `${folder}/${local}` }),
      markers: [folder],
      isNamed: (path) => layers.some((layer) => path.endsWith(fileOf(layer, { home: "/", root: "/" }))),
      variables: shape.variables,
      ...(shape.loads && { loads: shape.loads }),
    },
    readsItself: (path: string, places: Places, layer: Layer) =>
      layers.some((own) => own === layer && isAbsolute(path) && realOf(fileOf(own, places)) === realOf(path)),
    settings: {
      layers,
      file: fileOf,
      editor: { is: "JSON groups" },
      events,
      onlyWanted: [],
      timeout: 660,
      alsoReadBy: {},
      switches: shape.switches,
    },
  };
}

/** The id of a call, where the agent gives one; each file of a patch is a call of its own. */
const happeningOf = (event: AgentEventName, data: Fields, index: number): unknown => {
  const id = rowOf(event).matchTool ? textOf(data.tool_use_id) : undefined;
  return id === undefined || index === 0 ? id : `${id} ${index}`;
};
