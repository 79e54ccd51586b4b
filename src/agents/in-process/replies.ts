/** The answers that our own files in agents apply: one form for all of them, as the files are ours. By event, and never more than the agent takes there. */
import { blocked } from "../../actions/command/protocols/settings-keys.ts";
import type { AgentEventName, Fields, HookEvent, Json } from "../../engine/event.ts";
import type { Outcome, OutcomeField } from "../../engine/outcome.ts";
import { isRecord } from "../../engine/schema.ts";
import type { Reply } from "../adapter.ts";
import { contextOf, onlyAccepted, texts } from "../reply-parts.ts";

/**
 * deny: what is refused, and why · args: the input that the call is to have, whole · output: what the model is to see of the result ·
 * context: for the model · say: for the person · continue: what the model is to go on with
 */
export type PluginReply = Partial<Record<"deny" | "context" | "say" | "continue", string>> & {
  args?: Fields;
  output?: Json;
};

/** How a refusal is said. added: the reason is for the model, beside the result; continue: the model goes on with it. */
type Refusal = "deny" | "added" | "continue";

export interface PluginRow {
  refuses?: Refusal;
  accepts: readonly OutcomeField[];
}
export type PluginRows = Readonly<Partial<Record<AgentEventName, PluginRow>>>;

export const capabilitiesOf = (rows: PluginRows): Readonly<Partial<Record<AgentEventName, readonly OutcomeField[]>>> =>
  Object.fromEntries(Object.entries(rows).map(([name, { accepts }]) => [name, accepts]));

/** The last line of what a stop is answered with: the prompt that it comes back as is no person's. */
export const continuationMark = "(Hookline: a hook does not let this turn end yet.)";
export const isContinuation = (prompt: string): boolean => prompt.trimEnd().endsWith(continuationMark);

export interface Native {
  /** A canonical input as the agent's own tool takes it. */
  input(input: Fields): Fields;
  output(output: Json): Json;
}

/** An outcome as the agent's file applies it. What the event does not take is left out; an empty answer prints nothing. */
export function encodeFor(
  rows: PluginRows,
  { name, accepts }: Pick<HookEvent, "name" | "accepts">,
  outcome: Outcome,
  native: Native,
): Reply {
  const row = Object.hasOwn(rows, name) ? rows[name as AgentEventName] : undefined; // a key of the table
  if (!row) return { exitCode: 0 };
  const taken = onlyAccepted(outcome, accepts ? row.accepts.filter((field) => accepts.includes(field)) : row.accepts);
  const body = replyOf(row, taken, native);
  return Object.keys(body).length > 0 ? { body: { ...body }, exitCode: 0 } : { exitCode: 0 };
}

function replyOf({ refuses, accepts }: PluginRow, outcome: Outcome, { input, output }: Native): PluginReply {
  const { verdict, updatedInput, updatedOutput } = outcome;
  const reason = verdict?.is === "deny" ? verdict.reason || blocked : "";
  const context = accepts.includes("context") ? contextOf(outcome) : "";
  const said = texts(outcome.messages, "person").join("\n");
  const say = said ? { say: said } : {};
  if (refuses === "deny" && reason) return { deny: context ? `${reason}\n${context}` : reason, ...say };
  const told = [reason, context].filter((text) => text !== "").join("\n");
  if (refuses === "continue") return { ...(told && { continue: `${told}\n\n${continuationMark}` }), ...say };
  return {
    ...(updatedInput && { args: input(updatedInput) }),
    ...(updatedOutput !== undefined && { output: output(updatedOutput) }),
    ...(told && { context: told }),
    ...say,
  };
}

/** A rewritten result as text, where one of these fields of it is what the model reads. */
export function textOfResult(result: Json, fields: readonly string[]): string {
  if (typeof result === "string") return result;
  const known = isRecord(result)
    ? fields.map((field) => result[field]).find((value) => typeof value === "string")
    : undefined;
  return typeof known === "string" ? known : JSON.stringify(result);
}

export const refuseInPlugin = (reason: string): Reply => ({ stderr: reason, exitCode: 2 });
