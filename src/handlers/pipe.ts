/** Routes what is known of the event into a tool: one call, its input mapped field by field (specification 003, D60). */
import type { Fields } from "../core/event.ts";
import type { Handler, StepContext, StepResult } from "../core/ports.ts";
import { anything, mapOf, object, oneOf, say, text } from "../core/schema.ts";
import { callTool, type FailedCall, failedCall, outputOf } from "./tool-call.ts";

const policies = ["log", "ignore", "raise"] as const;
type Policy = (typeof policies)[number];
export interface PipeParams {
  to: string;
  map?: Fields;
  extra?: Fields;
  on_error?: Policy;
}

export const pipe: Handler<PipeParams> = {
  params: object(
    { to: text("the tool to call, as module.action") },
    {
      map: say(
        mapOf(anything),
        "fields of its input: templates such as {{tool.result.text}}, or values as they are",
        {},
      ),
      extra: say(mapOf(anything), "further fields; where both name one, map wins", {}),
      on_error: say(oneOf(...policies), "what a failure is: logged, ignored, or a failed run", "log"),
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
};

const failures: Record<Policy, (call: FailedCall, context: StepContext) => StepResult> = {
  raise: failedCall,
  ignore: () => ({ ok: true, output: {} }),
  log(call, { ports, hook, run, signal }) {
    if (signal.aborted) return failedCall(call); // the run itself is over, which is told anyway
    const { reason, notes = [] } = call;
    ports.observe?.({ is: "log", level: "warn", message: `pipe: ${reason}`, hook: hook.id, run });
    return { ok: true, output: {}, notes: [reason, ...notes] };
  },
};
