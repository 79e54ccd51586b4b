/** Lets a model look at the project before it judges an event: with read-only tools, or those that the hook allows (R28). */
import { HooklineError } from "../core/error.ts";
import type { Handler, StepContext, StepResult } from "../core/ports.ts";
import type { ModelTool } from "../core/reach.ts";
import { either, integer, listOf, object, oneOf, say, text } from "../core/schema.ts";
import { type Judging, judge, judgingSchemas, promptSchema } from "./model-ask.ts";

export interface AgentParams extends Judging {
  turns?: number;
  tools?: string[] | "all";
}

const usualTurns = 10;

export const agent: Handler<AgentParams> = {
  params: object(
    { prompt: promptSchema },
    {
      ...judgingSchemas,
      turns: say(integer("calls of the model, at most", 1), "calls of the model, at most", usualTurns),
      tools: say(
        either(listOf(text()), oneOf("all")),
        "what it may call: read_file, list_files, search, and tools of the project by module.action or module.*; all for all of them",
        ["read_file", "list_files", "search"],
      ),
    },
  ),
  needs: ["model"],
  async run(params, context) {
    const tools = await toolsOf(params, context);
    if (!Array.isArray(tools)) return tools;
    return judge(params, context, { tools, turns: params.turns ?? usualTurns });
  },
};

/** The tools, or why the hook cannot have them. */
async function toolsOf({ tools }: AgentParams, context: StepContext): Promise<ModelTool[] | StepResult> {
  const { toolsFor } = await import("./model-tools.ts"); // who never runs an agent hook does not pay for it
  try {
    return await toolsFor(tools, context);
  } catch (error) {
    if (!(error instanceof HooklineError)) throw error;
    return { ok: false, output: {}, failure: "launch", reason: error.message };
  }
}
