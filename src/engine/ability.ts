/**
 * What specification 001 calls an ability: a tool, a skill or a subagent of an agent. Its events and ours are two ways to
 * report one thing, and this is the one place that knows both.
 */
import { type Fields, type HookEvent, type Json, textField } from "./event.ts";
import { isRecord } from "./schema.ts";
import { classOf, toolRow } from "./tools.ts";

export interface Ability {
  id: string;
  kind: "tool" | "skill" | "agent";
  /** As the host names it, else made of kind and id, such as tool.Bash. */
  operation: string;
}

/** The ability that an event is about; undefined: it is about none. */
export function abilityOf({ data }: HookEvent): Ability | undefined {
  const tool = textField(data, "tool_name");
  const named = textField(data, "ability_id");
  if (named === undefined && tool === undefined) return undefined;
  const { kind, id } = calledBy(tool ?? "", data.tool_input);
  const own = named ?? id;
  return { id: own, kind, operation: textField(data, "operation_key") ?? `${kind}.${own}` };
}

/** What globs of abilities are compared with, what says most first: also its kind, such as skill:review, and the tool that calls it. */
export const namesOf = ({ id, kind }: Ability, { data, nativeTool }: HookEvent): string[] =>
  [id, `${kind}:${id}`, textField(data, "tool_name"), nativeTool].filter((one) => one !== undefined);

/** A skill and a subagent are called by a tool that names them. */
function calledBy(tool: string, input: Json | undefined): Pick<Ability, "kind" | "id"> {
  const kind = tool === "Skill" ? "skill" : classOf(tool) === "agent" ? "agent" : "tool";
  if (kind === "tool" || !isRecord(input)) return { kind: "tool", id: tool };
  const name = toolRow(tool)
    ?.fields.map((field) => input[field])
    .find((value) => typeof value === "string" && value !== "");
  return typeof name === "string" ? { kind, id: name } : { kind, id: tool };
}

/** Its words for what we call otherwise (R62). */
const words: readonly (readonly [theirs: string, ours: string])[] = [
  ["ability_id", "tool_name"],
  ["user_message", "prompt"],
  ["output_summary", "tool_response"],
];

/** The events of specification 001 that we call otherwise, with what a host says of them. */
export interface AbilityEvents {
  PreAbilityCall: { ability_id: string; operation_key?: string; planned_input_summary?: string };
  PostAbilityCall: {
    ability_id: string;
    operation_key?: string;
    status?: "success" | "failure" | "skipped";
    duration_ms?: number;
    input_summary?: string;
    output_summary?: string;
    tool_call_path?: string;
  };
}

/** A payload in the words of specification 001 gets those that every hook reads; what it says already stays. */
export function withOwnNames(data: Fields): Fields {
  if (!words.some(([theirs]) => data[theirs] !== undefined)) return data;
  const named: Fields = {};
  for (const [theirs, ours] of words) {
    const value = data[theirs];
    if (value !== undefined && data[ours] === undefined) named[ours] = value;
  }
  if (named.tool_name !== undefined && data.tool_input === undefined) named.tool_input = inputOf(data);
  if (data.status === "failure" && data.error === undefined && data.ability_id !== undefined)
    named.error = textField(data, "output_summary") ?? "failure";
  return Object.keys(named).length === 0 ? data : { ...data, ...named };
}

function inputOf({ planned_input_summary: planned, input_summary: summary = planned }: Fields): Fields {
  return summary === undefined ? {} : { summary };
}
