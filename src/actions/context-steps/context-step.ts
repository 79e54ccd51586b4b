/**
 * What all context steps share (specification 000, section 4): each result says which step it is, an error is a result,
 * and a step that takes too long ends by its own limit, before the engine's. Apart, so that each step is a plain handler.
 */

import { HooklineError, messageOf } from "../../engine/error.ts";
import type { Fields, Seconds } from "../../engine/event.ts";
import { placeOf } from "../../engine/plan.ts";
import type { ContextStepUse, Handler, StepContext } from "../../engine/ports.ts";
import { anything, isRecord, mapOf, number, type Schema, say } from "../../engine/schema.ts";
import { printValue } from "../../engine/template.ts";
import { isFolder } from "../command/command.ts";
import { placeFor } from "../repository.ts";
import { failed, handler } from "../step.ts";

/** A handler as a step of automations. What it throws is `error` in its result, and the next step runs (A24). */
export const contextStep = <P>(use: ContextStepUse, given: Handler<P>): Handler => ({
  ...asStep(use.limit, given),
  contextStep: use,
});

/** The same, without a name that automations could call it by. @param limit where its parameters name none */
const asStep = <P>(limit: Seconds, given: Handler<P>): Handler =>
  handler({
    ...given,
    async run(params, context) {
      const _step_index = context.scope.results.length;
      const limited = withLimit(context, limitIn(params) ?? limit, _step_index);
      try {
        checkFilled(given, params, context);
        const result = await given.run(params, limited.context);
        return { ...result, output: { ...result.output, _step_index } };
      } catch (error) {
        const { signal, timeout } = limited.context;
        const reason = isOverLimit(signal) ? `it did not end within ${timeout} s` : messageOf(error);
        return failed(isOverLimit(signal) ? "timeout" : "error", reason, { error: reason, _step_index });
      } finally {
        limited.end();
      }
    },
  });

/** Whether the step's own limit has ended it, and not the run's or its caller. */
export const isOverLimit = ({ aborted, reason }: AbortSignal): boolean => aborted && reason === overLimit;
const overLimit: unique symbol = Symbol("over its limit");

/** The `timeout` that authors may give a step. */
export const timeoutOf = (usual: Seconds): Schema<number> =>
  say(number("seconds", 0.1), "seconds until it is ended, with all that it started", usual);

/** What a placeholder holds may be another thing than the parameter needs. */
function checkFilled<P>({ params: schema }: Handler<P>, params: P, { hook }: StepContext): void {
  const [wrong] = schema.check(params);
  if (!wrong) return;
  const { path, expected, found } = wrong;
  throw new HooklineError("parameters_invalid", { name: path.join("."), expected, found, where: placeOf(hook) });
}

const limitIn = (params: unknown): Seconds | undefined =>
  isRecord(params) && typeof params.timeout === "number" ? params.timeout : undefined;

function withLimit(
  given: StepContext,
  limit: Seconds,
  _step_index: number,
): { context: StepContext & { progress(output: Fields): void }; end(): void } {
  const { event, hook, scope, run, caller, ports } = given;
  const own = new AbortController();
  const end = ports.after(limit * 1000, () => own.abort(overLimit));
  const signal = AbortSignal.any([given.signal, own.signal]);
  const progress = (output: Fields): void => given.progress?.({ ...output, _step_index });
  const timeout = Math.min(limit, given.timeout);
  return { context: { event, hook, scope, run, caller, ports, timeout, signal, progress }, end };
}

/** The folder that a step works in. Throws a sentence where there is none. */
export function folderFor(path: string, context: StepContext): string {
  const folder = placeFor(path, context);
  if (!isFolder(folder)) throw new Error(`the folder ${folder} does not exist`);
  return folder;
}

/** `type` is the name that was written; the other parameters are those of an unknown step. */
export const unknownStep: Handler = asStep(5, {
  params: mapOf(anything),
  run({ type = "" }) {
    throw new Error(`Unknown step type: ${printValue(type)}`);
  },
});
