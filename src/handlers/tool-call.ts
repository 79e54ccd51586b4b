/** Calling a tool from a handler: what can go wrong becomes a reason, and the answer becomes a step's output. */
import { messageOf } from "../core/error.ts";
import type { Fields, Json } from "../core/event.ts";
import type { StepContext, StepResult, ToolAnswer } from "../core/ports.ts";
import { anything, isRecord, type Mismatch, mapOf, type Schema, say } from "../core/schema.ts";
import { printValue } from "../core/template.ts";
import { shorten } from "./evidence.ts";

/** Never rejects. An answer that the tool itself calls an error is a failure with its words. */
export async function callTool(
  name: string,
  input: Json,
  { ports, event, hook, signal }: StepContext,
): Promise<ToolAnswer | { reason: string }> {
  if (!ports.tools) return { reason: "nothing here can call tools" };
  if (!isRecord(input)) return { reason: `the tool ${name} takes an object, and was given ${printValue(input)}` };
  try {
    const tools = await ports.tools(event, hook);
    const answer = await tools.call(name, input, signal, event);
    return answer.ok ? answer : { reason: `the tool ${name} reported an error: ${wordsOf(answer)}` };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

/** What it said: its own words, else its output as text. */
export const wordsOf = ({ output, text }: ToolAnswer): string => text ?? printValue(output);

/** {{previous}} prints it, and {{previous.field}} walks into it. */
export const outputOf = ({ output }: ToolAnswer): Fields => (isRecord(output) ? output : { content: output });

export const failedCall = (reason: string): StepResult => ({
  ok: false,
  output: {},
  failure: "error",
  reason: shorten(reason),
});

/** How rules name an action of a module (D51). */
export interface ActionCall {
  module?: string;
  action: string;
  params?: Fields;
  action_params?: Fields;
}

export const actionName = ({ module, action }: ActionCall): string =>
  module === undefined || module === "" ? action : `${module}.${action}`;

export const actionInput = ({ params, action_params: other }: ActionCall): Json => params ?? other ?? {};

export const inputOfAction: Schema<Fields> = say(mapOf(anything), "what the action is given", {});
export const otherInputOfAction: Schema<Fields> = say(mapOf(anything), "another name of params", {});

/** Whether the action can be found at all is known only when its server answers. */
export function inspectAction({ module, action, params, action_params: other }: Fields): Mismatch[] {
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
