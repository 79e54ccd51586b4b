/** What the model of an automation may call (R28): what its author lists, else what reads the project and changes nothing. */
import type { StepContext } from "../core/ports.ts";
import type { ModelTool } from "../core/reach.ts";
import { fileTools } from "./model-files.ts";
import { readingOperations, toolsAmong } from "./model-tools.ts";

/** Throws tool_unknown, with what there is. */
export async function automationTools(
  allowed: readonly string[] | "all" | undefined,
  context: StepContext,
): Promise<ModelTool[]> {
  const files = fileTools(context.hook.origin.root ?? context.event.cwd);
  return allowed === undefined
    ? [...files, ...(await readingOperations(context))]
    : toolsAmong(allowed, files, context);
}
