/** The fields and events of a rule (specification 003) in one table each: they make the checks, the JSON Schema and the documentation. */
import { eventNames } from "../../engine/events.ts";
import { usualTextLimit } from "../../engine/hook-words.ts";
import { flag, integer, listOf, type Schema, text } from "../../engine/schema.ts";
import { type FieldTable, field, oneOrMore, schemaOf, seconds, secondsFrom0, some, typed } from "../reading/fields.ts";

export const defaultTimeout = 30;
export const defaultPriority = 100;

export type RuleFieldName =
  | "id"
  | "on"
  | "condition"
  | "action"
  | "unless"
  | "cooldown"
  | "max_fires"
  | "text_limit"
  | "priority"
  | "enabled"
  | "report"
  | "replaces"
  | "tags"
  | "timeout";

export const ruleFields: FieldTable<RuleFieldName> = {
  id: field(some, "its name: unique in the file, and kept under which counts and records are", { required: true }),
  on: field(oneOrMore, "the event, or a list of them", { default: "turn_end" }),
  condition: field(typed, "what has to hold: a map with a type and its parameters", { required: true }),
  action: field(typed, "what is done then: a map with a type and its parameters", { required: true }),
  unless: field(
    oneOrMore,
    "tool patterns, as `Bash(git push --force origin tmp-*)`: a call that surely is one of them is left alone",
  ),
  cooldown: field(secondsFrom0, "minimum seconds from one start to the next, or a duration such as 5m; 0: none", {
    default: 0,
  }),
  max_fires: field(integer(undefined, 0), "how often it runs at most, over all sessions; 0: no limit", { default: 0 }),
  text_limit: field(integer(undefined, 1), "characters of all that it says to models and people in one answer", {
    default: usualTextLimit,
  }),
  priority: field(integer(), "lower runs first; equal ones in the order of the file", { default: defaultPriority }),
  enabled: field(flag, "false: it is read and listed, and never runs", { default: true }),
  replaces: field(
    flag,
    "true: its rewrite makes the call safe, and guards of its own and of lower layers judge only what will run",
    { default: false },
  ),
  report: field(flag, "true: it is evaluated and recorded, and nothing that it answers counts", { default: false }),
  tags: field(listOf(text()), "words for lists and people; the engine does not use them", { default: [] }),
  timeout: field(
    seconds,
    "seconds, or a duration such as 5m, that each of its actions may take, unless the action says it itself",
    {
      default: defaultTimeout,
    },
  ),
};

export const ruleSchema: Schema<object> = schemaOf(ruleFields);

export const ruleFieldNames: readonly string[] = Object.keys(ruleFields);
export const isRuleField = (name: string): name is RuleFieldName => Object.hasOwn(ruleFields, name);

interface RuleEvent {
  name: string;
  /** Its other name. */
  alias?: string;
  when: string;
}

export const ruleEvents: readonly RuleEvent[] = [
  { name: "turn_start", alias: "user_prompt", when: "a turn begins: the user's input has been received" },
  { name: "turn_end", when: "a turn ends: the model asks for no more tools" },
  { name: "tool_start", alias: "pre_tool_use", when: "before a tool call" },
  { name: "tool_end", alias: "post_tool_use", when: "after a tool call, whether it failed or not" },
  { name: "session_start", when: "the first turn of a session begins" },
  { name: "session_end", when: "the session is closed" },
  { name: "pre_compact", when: "before the context is compacted" },
  { name: "error", when: "the turn ended in an error" },
  { name: "approval_request", when: "a person would be asked for permission" },
  { name: "agent_spawn", when: "a subagent is started" },
  { name: "agent_complete", when: "a subagent has finished, or failed" },
  { name: "activation", when: "an application event arrives: from a channel, a schedule or the bus" },
];

/** The fifteen names that specification 003 has. */
export const ruleEventNames: readonly string[] = ruleEvents.flatMap(({ name, alias }) =>
  alias === undefined ? [name] : [name, alias],
);

export const defaultEvent = "turn_end";

/** All names that an event has, those of 003 first. */
export const writableEvents: readonly string[] = [...new Set([...ruleEventNames, ...eventNames])];
