/** Blocks what is about to happen, or allows it explicitly (specification 003, D55; R20). */
import { agentEventNames, events } from "../core/events.ts";
import type { Handler } from "../core/ports.ts";
import { flag, object, say, text } from "../core/schema.ts";

export interface GateParams {
  reason?: string;
  allow?: boolean;
}

const policy = "Blocked by hook policy";
/** Besides these, application events take a verdict. */
const decided: readonly string[] = [
  ...agentEventNames.filter((name) => events[name].accepts.includes("verdict")),
  "activation",
];

export const gate: Handler<GateParams> = {
  params: object(
    {},
    {
      reason: say(text(), "why, in words for the model and the person", policy),
      allow: say(flag, "true lets it happen without a question; anything else blocks it", false),
    },
  ),
  action: {
    summary: "Blocks what is about to happen, such as a tool call; with allow it is allowed explicitly.",
    role: ({ allow }) => (allow === true ? "observe" : "guard"),
    events: decided,
  },
  run({ reason, allow }, { hook }) {
    const said = reason === undefined || reason.trim() === "" ? undefined : reason;
    const verdict =
      allow === true
        ? { is: "allow" as const, by: hook.id, ...(said === undefined ? {} : { reason: said }) }
        : { is: "deny" as const, by: hook.id, reason: said ?? policy };
    return { ok: true, output: { ...verdict }, outcome: { verdict } };
  },
};
