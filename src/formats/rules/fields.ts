/** The fields of a rule (specification 003) in one table: it makes the checks, the JSON Schema and the documentation. */
import type { Json } from "../../engine/event.ts";
import { either, flag, integer, kindOf, listOf, number, type Schema, say, text } from "../../engine/schema.ts";

export interface RuleField {
  schema: Schema<unknown>;
  /** What holds where it is left out; absent: it is required, or nothing holds. */
  default?: Json;
  required?: true;
}

export const some: Schema<string> = {
  json: { type: "string", minLength: 1 },
  check: (value, path = []) =>
    typeof value === "string" && value.trim() !== "" ? [] : [{ path, expected: "a name", found: kindOf(value) }],
};
export const seconds: Schema<number> = {
  json: { type: "number", exclusiveMinimum: 0 },
  check: (value, path = []) =>
    typeof value === "number" && Number.isFinite(value) && value > 0
      ? []
      : [{ path, expected: "seconds above 0", found: kindOf(value) }],
};
/** Read by files of their own. */
const typed: Schema<unknown> = { json: { type: "object", required: ["type"] }, check: () => [] };

const field = <T>(schema: Schema<T>, description: string, more: Omit<RuleField, "schema"> = {}): RuleField => ({
  schema: say(schema, description, more.default),
  ...more,
});

export const defaultTimeout = 30;
export const defaultPriority = 100;

export type RuleFieldName =
  | "id"
  | "on"
  | "condition"
  | "action"
  | "cooldown"
  | "max_fires"
  | "priority"
  | "enabled"
  | "tags"
  | "timeout";

export const ruleFields: { readonly [F in RuleFieldName]: RuleField } = {
  id: field(some, "its name: unique in the file, and kept under which counts and records are", { required: true }),
  on: field(either(some, listOf(some)), "the event, or a list of them", { default: "turn_end" }),
  condition: field(typed, "what has to hold: a map with a type and its parameters", { required: true }),
  action: field(typed, "what is done then: a map with a type and its parameters", { required: true }),
  cooldown: field(number(undefined, 0), "least seconds from one start to the next; 0: none", { default: 0 }),
  max_fires: field(integer(undefined, 0), "how often it runs at most, over all sessions; 0: no limit", { default: 0 }),
  priority: field(integer(), "lower runs first; equal ones in the order of the file", { default: defaultPriority }),
  enabled: field(flag, "false: it is read and listed, and never runs", { default: true }),
  tags: field(listOf(text()), "words for lists and people; the engine does not use them", { default: [] }),
  timeout: field(seconds, "seconds that each of its actions may take, unless the action says it itself", {
    default: defaultTimeout,
  }),
};

export const ruleFieldNames: readonly string[] = Object.keys(ruleFields);
export const isRuleField = (name: string): name is RuleFieldName => Object.hasOwn(ruleFields, name);
