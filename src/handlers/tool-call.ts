/** Calling a tool from a handler: what can go wrong becomes a reason, and the answer becomes a step's output. */
import { HooklineError, messageOf } from "../core/error.ts";
import type { Fields, Json } from "../core/event.ts";
import type { StepContext, StepResult } from "../core/ports.ts";
import type { ToolAnswer } from "../core/reach.ts";
import { anything, isRecord, type Mismatch, mapOf, type Schema, say } from "../core/schema.ts";
import { printValue } from "../core/template.ts";

/** Why a call brought nothing. */
export interface FailedCall {
  /** Short, as agents read it. */
  reason: string;
  /** For the run alone, which hides the secrets in it: what the server wrote to stderr. */
  notes?: string[];
}

/** Never rejects. An answer that the tool itself calls an error is a failure with its words. */
export async function callTool(
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

const longestReason = 2_000;
const short = (reason: string): string =>
  reason.length > longestReason ? `${reason.slice(0, longestReason - 1)}…` : reason;

/** What it said: its own words, else its output as text. */
export const wordsOf = ({ output, text }: ToolAnswer): string => text ?? printValue(output);

/** {{previous}} prints it, and {{previous.field}} walks into it. */
export const outputOf = ({ output }: ToolAnswer): Fields => (isRecord(output) ? output : { content: output });

export const failedCall = (call: FailedCall): StepResult => ({ ok: false, output: {}, failure: "error", ...call });

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
