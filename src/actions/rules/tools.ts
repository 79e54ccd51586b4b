/** Handlers that call a tool: mcp_tool, module_action, module_action_inject and pipe. */
import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, Json } from "../../engine/event.ts";
import type { ToolAnswer } from "../../engine/external-services.ts";
import { shortened } from "../../engine/one-line.ts";
import type { Handler, StepContext, StepResult } from "../../engine/ports.ts";
import { anything, isRecord, type Mismatch, mapOf, object, type Schema, say, text } from "../../engine/schema.ts";
import { printValue } from "../../engine/template.ts";
import { writtenName } from "../command/protocols/endings.ts";
import { readAnswer, settings } from "../command/protocols/settings.ts";
import { failed, handler, noted, shorten } from "../step.ts";
import { type ErrorPolicy, errorPolicy, type MessageRole, messageRole } from "./actions.ts";

/** Why a call brought nothing. */
interface FailedCall {
  /** Short, as agents read it. */
  reason: string;
  /** For the run alone, which hides the secrets in it: what the server wrote to stderr. */
  notes?: string[];
}

/** Never rejects. An answer that the tool itself calls an error is a failure with its words. */
async function callTool(
  name: string,
  input: Json,
  { ports, event, hook, signal }: StepContext,
): Promise<ToolAnswer | FailedCall> {
  if (!ports.tools) return { reason: "nothing here can call tools" };
  if (!isRecord(input)) return { reason: `the tool ${name} takes an object, and was given ${printValue(input)}` };
  try {
    const tools = await ports.tools(event, hook);
    const answer = await tools.call(name, input, signal, event);
    return answer.ok ? answer : { reason: short(`the tool ${name} reported an error: ${wordsOf(answer)}`) };
  } catch (error) {
    const reason = short(messageOf(error));
    const said = error instanceof HooklineError ? error.facts.said : undefined;
    return said === undefined ? { reason } : { reason, notes: [`the server of the tool ${name} said: ${said}`] };
  }
}

const short = (reason: string): string => shortened(reason, 2_000);

/** What it said: its own words, else its output as text. */
const wordsOf = ({ output, text }: ToolAnswer): string => text ?? printValue(output);

/** {{previous}} prints it, and {{previous.field}} walks into it. */
const outputOf = ({ output }: ToolAnswer): Fields => (isRecord(output) ? output : { content: output });

const failedCall = ({ reason, notes = [] }: FailedCall): StepResult => ({
  ...failed("error", reason),
  ...noted(notes),
});

/** How rules name an action of a module (D51). */
interface ActionCall {
  module?: string;
  action: string;
  params?: Fields;
  action_params?: Fields;
}

const actionName = ({ module, action }: ActionCall): string =>
  module === undefined || module === "" ? action : `${module}.${action}`;

const actionInput = ({ params, action_params: other }: ActionCall): Json => params ?? other ?? {};

const inputOfAction: Schema<Fields> = say(mapOf(anything), "what the action is given", {});
const otherInputOfAction: Schema<Fields> = say(mapOf(anything), "another name of params", {});

/** Whether the action can be found at all is known only when its server answers. */
function inspectAction({ module, action, params, action_params: other }: Fields): Mismatch[] {
  const found: Mismatch[] = [];
  if (module === undefined && typeof action === "string" && !/\.|^mcp__|\{\{/.test(action))
    found.push({
      path: ["module"],
      expected: "the module of this action, or module.action as one name",
      found: "nothing",
    });
  if (params !== undefined && other !== undefined)
    found.push({ path: ["action_params"], expected: "either params or action_params", found: "both" });
  return found;
}

/** A server that cannot be reached, and an answer that is an error, block nothing: the hook has failed, and its policy answers. */
export const mcpTool: Handler = handler({
  params: object(
    { server: text("the MCP server"), tool: text("the tool of that server") },
    { input: say(mapOf(anything), "its input; Hookline fills in ${tool_input.file_path} and the like", {}) },
  ),
  needs: ["tools"],
  isServer: true,
  async run({ server, tool, input = {} }, context) {
    const { event, hook } = context;
    const payload: Json = JSON.parse(settings.write(event, writtenName(hook, event.name), hook));
    const answer = await callTool(`${server}.${tool}`, fillFrom(payload, input), context);
    if ("reason" in answer) return failedCall(answer);
    const said = wordsOf(answer);
    return { ...readAnswer(said, event, hook.id), evidence: { stdout: shorten(said) } };
  },
});

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

const required = { action: text("the action, or module.action as one name") };
const optional = {
  module: text("the MCP server that has the action; hookline: the engine itself"),
  params: inputOfAction,
  action_params: otherInputOfAction,
};

/** A failure is a failed step, and says nothing about the event. */
export const moduleAction: Handler = handler({
  params: object(required, optional),
  needs: ["tools"],
  inspect: inspectAction,
  action: {
    summary: "Calls an action of a module, a tool of an MCP server, without waiting for it.",
    role: () => "observe",
    background: true,
  },
  run: (params, context) => callAction(params, context),
});

export const moduleActionInject: Handler = handler({
  params: object(required, {
    ...optional,
    role: messageRole,
  }),
  needs: ["tools"],
  inspect: inspectAction,
  action: {
    summary: "Calls an action of a module and gives the model the answer. An empty answer adds nothing.",
    role: () => "observe",
  },
  run: ({ role = "user", ...params }, context) => callAction(params, context, role),
});

async function callAction(params: ActionCall, context: StepContext, role?: MessageRole): Promise<StepResult> {
  const answer = await callTool(actionName(params), actionInput(params), context);
  if ("reason" in answer) return failedCall(answer);
  const words = wordsOf(answer);
  const result: StepResult = { ok: true, output: outputOf(answer) };
  if (role === undefined || isEmpty(words)) return result;
  return { ...result, outcome: { messages: [{ to: "model", role, text: words }] } };
}

/** An empty list or object is JSON's way to say nothing. */
const isEmpty = (words: string): boolean => /^(null|\{\s*\}|\[\s*\])?$/.test(words.trim());

export const pipe: Handler = handler({
  params: object(
    { to: text("the tool to call, as module.action") },
    {
      map: say(
        mapOf(anything),
        "fields of its input: templates such as {{tool.result.text}}, or values as they are",
        {},
      ),
      extra: say(mapOf(anything), "further fields; where both name one, map wins", {}),
      on_error: errorPolicy,
    },
  ),
  needs: ["tools"],
  action: {
    summary: "Calls a tool with fields of the event, such as the current tool's result.",
    role: () => "observe",
  },
  async run({ to, map = {}, extra = {}, on_error: policy = "log" }, context) {
    const answer = await callTool(to, { ...extra, ...map }, context);
    if ("reason" in answer) return failures[policy](answer, context);
    return { ok: true, output: outputOf(answer) };
  },
});

const failures: Record<ErrorPolicy, (call: FailedCall, context: StepContext) => StepResult> = {
  raise: failedCall,
  ignore: () => ({ ok: true, output: {} }),
  log(call, { ports, hook, run, signal }) {
    if (signal.aborted) return failedCall(call); // the run itself is over, and says so
    const { reason, notes = [] } = call;
    ports.observe?.({ is: "log", level: "warn", message: `pipe: ${reason}`, hook: hook.id, run });
    return { ok: true, output: {}, notes: [reason, ...notes] };
  },
};
