/** gate: apart from the other actions, because the built-in guard needs it on the way of every event that may ask. */

import { agentEventNames, events } from "../../engine/events.ts";
import type { OutcomeField } from "../../engine/outcome.ts";
import type { Handler } from "../../engine/ports.ts";
import { flag, object, say, text } from "../../engine/schema.ts";
import { handler } from "../step.ts";

const policy = "Blocked by hook policy";

/** The events of agents that take such an answer. */
export const eventsTaking = (field: OutcomeField): string[] =>
  agentEventNames.filter((name) => events[name].accepts.includes(field));

export const gate: Handler = handler({
  params: object(
    {},
    {
      reason: say(text(), "why, in words for the model and the person", policy),
      allow: say(flag, "true lets it happen without a question; anything else blocks it", false),
      ask: say(flag, "true asks the person instead of blocking it", false),
    },
  ),
  action: {
    summary: "Denies what is about to happen, such as a tool call, asks about it, or allows it.",
    role: ({ allow }) => (allow === true ? "observe" : "guard"),
    events: [...eventsTaking("verdict"), "activation"], // besides these, application events take a verdict
  },
  run({ reason, allow, ask }, { hook, scope }) {
    const unknown = scope.match?.unknown;
    const isUnsure = typeof unknown === "string";
    if (isUnsure && allow === true) return { ok: true, output: {}, notes: [`it does not allow the call: ${unknown}`] };
    const said = reason === undefined || reason.trim() === "" ? undefined : reason;
    const verdict =
      allow === true
        ? { is: "allow" as const, by: hook.id, ...(said === undefined ? {} : { reason: said }) }
        : {
            is: ask === true ? ("ask" as const) : ("deny" as const),
            by: hook.id,
            reason: isUnsure ? unknown : (said ?? policy), // its own reason would not be the true one (R87)
          };
    return { ok: true, output: { ...verdict }, outcome: { verdict } };
  },
});
