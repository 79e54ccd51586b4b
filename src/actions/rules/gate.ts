/** gate: apart from the other actions, because the built-in guard needs it on the way of every event that may ask. */

import { agentEventNames, events } from "../../engine/events.ts";
import { unsureIn, unsureSentence } from "../../engine/hook-words.ts";
import type { OutcomeField } from "../../engine/outcome.ts";
import type { Handler } from "../../engine/ports.ts";
import { flag, object, oneOf, say, text } from "../../engine/schema.ts";
import { handler } from "../step.ts";

const policy = "Blocked by hook policy";

/** The events of agents that take such an answer. */
export const eventsTaking = (field: OutcomeField): string[] =>
  agentEventNames.filter((name) => events[name].accepts.includes(field));

const decisions = ["deny", "ask", "allow"] as const;
type Decision = (typeof decisions)[number];

const decisionOf = ({ decision, allow, ask }: { decision?: Decision; allow?: boolean; ask?: boolean }): Decision =>
  decision ?? (allow === true ? "allow" : ask === true ? "ask" : "deny");

export const gate: Handler = handler({
  params: object(
    {},
    {
      decision: say(oneOf(...decisions), "deny, ask the person, or allow without a question", "deny"),
      reason: say(text(), "why, in words for the model and the person", policy),
      suggestion: say(text(), "what to do instead; it stands behind the reason"),
      allow: say(flag, "true: the same as `decision: allow`", false),
      ask: say(flag, "true: the same as `decision: ask`", false),
    },
  ),
  isLiftable: true,
  action: {
    summary: "Denies what is about to happen, such as a tool call, asks about it, or allows it.",
    role: (params) => (decisionOf(params) === "allow" ? "observe" : "guard"),
    events: [...eventsTaking("verdict"), "activation"], // besides these, application events take a verdict
  },
  inspect: ({ decision, allow, ask }) =>
    decision === undefined || (allow === undefined && ask === undefined)
      ? []
      : [{ path: [allow === undefined ? "ask" : "allow"], expected: "decision alone", found: "both" }],
  run({ reason, suggestion, ...params }, { hook, scope }) {
    const why = unsureIn(scope.match);
    const wanted = decisionOf(params);
    // What nobody can tell apart is no reason to allow anything (R87).
    if (why !== undefined && wanted === "allow")
      return { ok: true, output: {}, notes: [`it does not allow the call: ${why}`] };
    if (wanted === "allow" && scope.match?.partly === true)
      return {
        ok: true,
        output: {},
        notes: ["it does not allow the call: the line does more than the rule names by the letter"],
      };
    const answer = why === undefined ? undefined : scope.match?.answer; // what the condition's author wants then
    const is = answer === "deny" || answer === "ask" ? answer : wanted;
    const said = why === undefined ? trimmed(reason) : unsureSentence(why);
    const instead = why === undefined ? trimmed(suggestion) : undefined;
    const whole = instead === undefined ? said : `${said ?? policy} Instead: ${instead}`;
    const verdict =
      is === "allow"
        ? { is, by: hook.id, ...(whole === undefined ? {} : { reason: whole }) }
        : { is, by: hook.id, reason: whole ?? policy };
    const found = scope.match === undefined ? {} : { match: scope.match };
    return { ok: true, output: { ...verdict, ...found }, outcome: { verdict } };
  },
});

const trimmed = (written: string | undefined): string | undefined =>
  written === undefined || written.trim() === "" ? undefined : written;
