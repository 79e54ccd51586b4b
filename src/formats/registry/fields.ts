/** The fields of a repository hook (specification 001) as schemas: they make the checks, and what is suggested. */
import {
  anything,
  either,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import { seconds, some } from "../rules/fields.ts";

/** One or several; an empty list would match nothing. */
const oneOrMore: Schema<string | string[]> = {
  json: { anyOf: [some.json, { type: "array", items: some.json, minItems: 1 }] },
  check: (value, path = []) =>
    Array.isArray(value) && value.length === 0
      ? [{ path, expected: "a name or a list of names", found: "an empty list" }]
      : either(some, listOf(some)).check(value, path),
};

const milliseconds: Schema<number> = number(undefined, 0);

/** What YAML reads as a number or a flag is text to a program. */
const values: Schema<{ [name: string]: string | number | boolean }> = mapOf(either(text(), either(number(), flag)));

export interface Match {
  ability_scope?: string | string[];
  operation_key?: string | string[];
  min_duration_ms?: number;
  only_if_changed_paths?: string | string[];
}
/** An entry that its schema has passed. */
export interface Entry {
  id: string;
  event_type: string | string[];
  handler: {
    kind?: string;
    command?: string;
    name?: string;
    with?: { [name: string]: never };
    timeout?: number;
  };
  enabled?: boolean;
  summary?: string;
  match?: Match;
  environments?: string | string[];
  blocking?: boolean;
  timeout?: number;
  env?: { [name: string]: string | number | boolean };
  priority?: number;
}

const handler = { kind: text(), command: some, name: some, with: mapOf(anything), timeout: seconds };
const required = {
  id: say(some, "a name of its own, such as call_tracker"),
  event_type: say(oneOrMore, "the event, or a list of them, such as PostAbilityCall"),
  handler: say(object({}, handler), "what runs, such as { kind: script, command: ./scripts/hooks/name.sh }"),
};
const optional = {
  enabled: flag,
  summary: text(),
  match: object(
    {},
    {
      ability_scope: oneOrMore,
      operation_key: oneOrMore,
      min_duration_ms: milliseconds,
      only_if_changed_paths: oneOrMore,
    },
  ),
  environments: oneOrMore,
  effects: anything,
  blocking: flag,
  timeout: seconds,
  env: values,
  priority: integer(),
};

export const entrySchema: Schema<unknown> = object(required, optional);
export const fieldNames: readonly string[] = [...Object.keys(required), ...Object.keys(optional)];
export const handlerFields: readonly string[] = Object.keys(handler);
