/** Rewrites a tool's input before it runs, and its result before the agent sees it (specification 003, D56 and D57; R20). */
import type { Fields, Json } from "../core/event.ts";
import { agentEventNames, events } from "../core/events.ts";
import type { OutcomeField } from "../core/outcome.ts";
import type { ActionUse, Handler, StepResult } from "../core/ports.ts";
import { anything, isRecord, mapOf, object, type Schema, say } from "../core/schema.ts";
import { applyChange, changeOf, faultsOfChange } from "./transform-change.ts";

export interface TransformParams {
  transformation: Fields;
}

const params: Schema<TransformParams> = object({
  transformation: say(
    mapOf(anything),
    "keys to set, or {set: {…}, remove: […]}; a dotted key walks into objects and lists",
  ),
});

const eventsTaking = (field: OutcomeField): string[] =>
  agentEventNames.filter((name) => events[name].accepts.includes(field));

const rewriting = (summary: string, field: OutcomeField): ActionUse => ({
  summary,
  role: () => "transform",
  events: eventsTaking(field),
});

const inspect = ({ transformation }: Fields) =>
  isRecord(transformation) ? faultsOfChange(transformation as Fields) : []; // parameters are JSON

export const transformParams: Handler<TransformParams> = {
  params,
  inspect,
  action: rewriting("Changes a tool's parameters before it runs.", "updatedInput"),
  run({ transformation }, { event }) {
    const changed = change(event.data.tool_input, transformation, "tool input");
    const { value, ...result } = changed;
    return isFields(value) ? { ...result, outcome: { updatedInput: value } } : result;
  },
};

export const transformResult: Handler<TransformParams> = {
  params,
  inspect,
  action: rewriting("Changes a tool's result before the agent sees it.", "updatedOutput"),
  run({ transformation }, { event }) {
    const { value, ...result } = change(event.data.tool_response, transformation, "tool result");
    return value === undefined ? result : { ...result, outcome: { updatedOutput: value } };
  },
};

const isFields = (value: Json | undefined): value is Fields => isRecord(value);

/** The new value, where there is one; a change that changes nothing says so. */
function change(before: Json | undefined, transformation: Fields, what: string): StepResult & { value?: Json } {
  if (before === undefined) return { ok: true, output: {}, notes: [`this event has no ${what}: nothing was changed`] };
  if (typeof before !== "object" || before === null) {
    const reason = `the ${what} is no object, so its keys cannot be changed`;
    return { ok: false, output: {}, failure: "error", reason };
  }
  const { value, notes } = applyChange(before, changeOf(transformation));
  if (JSON.stringify(value) === JSON.stringify(before))
    return { ok: true, output: {}, notes: [...notes, `the ${what} was like this already: nothing was changed`] };
  return { ok: true, output: isFields(value) ? value : {}, value, ...(notes.length > 0 ? { notes } : {}) };
}
