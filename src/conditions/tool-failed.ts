/** tool_failed: whether the tool call that the event tells of has failed (D40). */
import { eventToEmit, hasFailed, resolveEvent } from "../engine/events.ts";
import type { ConditionKind, Scope } from "../engine/ports.ts";
import { noParameters } from "./parameters.ts";

const ends: ReadonlySet<string> = new Set(resolveEvent("tool_end"));
const failure = eventToEmit("tool_end", { error: "" });

/** Where a call has just ended, its own end; on other events, how the turn's last call ended. */
export const hasToolFailed = ({ event, turn }: Scope): boolean =>
  event.name === failure || (ends.has(event.name) ? hasFailed(event.data) : turn.toolFailed);

export const toolFailed: ConditionKind<object | null> = {
  summary: "the tool call failed",
  params: noParameters,
  compile: () => hasToolFailed,
  describe: () => "the tool call failed",
  explain: (_params, { event }) =>
    ends.has(event.name)
      ? { holds: "the tool call failed", fails: "the tool call did not fail" }
      : { holds: "the turn's last tool call failed", fails: "the turn's last tool call did not fail" },
};
