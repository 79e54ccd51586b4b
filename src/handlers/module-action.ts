/** Rules that call a tool: in the background, or for the model to read (specification 003, D51 and D52). */
import type { Handler, StepContext, StepResult } from "../core/ports.ts";
import { object, oneOf, say, text } from "../core/schema.ts";
import {
  type ActionCall,
  actionInput,
  actionName,
  callTool,
  failedCall,
  inputOfAction,
  inspectAction,
  otherInputOfAction,
  outputOf,
  wordsOf,
} from "./tool-call.ts";

const required = { action: text("the action, or module.action as one name") };
const optional = {
  module: text("the MCP server that has the action; hookline: the engine itself"),
  params: inputOfAction,
  action_params: otherInputOfAction,
};

/** A failure is a failed step, and says nothing about the event. */
export const moduleAction: Handler<ActionCall> = {
  params: object(required, optional),
  needs: ["tools"],
  inspect: inspectAction,
  action: {
    summary: "Calls an action of a module, a tool of an MCP server, without waiting for it.",
    role: () => "observe",
    background: true,
  },
  run: (params, context) => callAction(params, context),
};

const roles = ["user", "system", "assistant"] as const;
type InjectedCall = ActionCall & { role?: (typeof roles)[number] };

export const moduleActionInject: Handler<InjectedCall> = {
  params: object(required, {
    ...optional,
    role: say(oneOf(...roles), "who says it to the model", "user"),
  }),
  needs: ["tools"],
  inspect: inspectAction,
  action: {
    summary: "Calls an action of a module and tells the model what it answered. An empty answer adds nothing.",
    role: () => "observe",
  },
  run: ({ role = "user", ...params }, context) => callAction(params, context, role),
};

async function callAction(params: ActionCall, context: StepContext, role?: InjectedCall["role"]): Promise<StepResult> {
  const answer = await callTool(actionName(params), actionInput(params), context);
  if ("reason" in answer) return failedCall(answer);
  const words = wordsOf(answer);
  const result: StepResult = { ok: true, output: outputOf(answer) };
  if (role === undefined || isEmpty(words)) return result;
  return { ...result, outcome: { messages: [{ to: "model", role, text: words }] } };
}

/** An empty list or object is JSON's way to say nothing. */
const isEmpty = (words: string): boolean => /^(null|\{\s*\}|\[\s*\])?$/.test(words.trim());
