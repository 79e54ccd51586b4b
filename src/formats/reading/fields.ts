/**
 * The fields of an entry, in one table for each format: it makes the checks, the JSON Schema and the documentation; and what the
 * JSON Schemas of all formats are put together of.
 */
import type { Fields, Json } from "../../engine/event.ts";
import { either, fieldsIn, kindOf, listOf, number, object, type Schema, say } from "../../engine/schema.ts";
import { durationPattern, secondsIn } from "./durations.ts";

export interface Field<T = unknown> {
  schema: Schema<T>;
  /** What holds where it is left out; absent: it is required, or nothing holds. */
  default?: Json;
  required?: true;
  /** Written by Hookline itself: accepted and passed over, so that what was exported elsewhere is read. */
  isOurs?: true;
}
export type FieldTable<Name extends string = string> = { readonly [N in Name]: Field };

export const field = <T>(schema: Schema<T>, says: string, more: Omit<Field<T>, "schema"> = {}): Field<T> => ({
  schema: say(schema, says, more.default),
  ...more,
});

/** The schema of a map with the fields of a table. */
export function schemaOf(fields: FieldTable): Schema<object> {
  const those = (isRequired: boolean): { [name: string]: Schema<unknown> } =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, { schema, required = false }]) =>
        required === isRequired ? [[name, schema]] : [],
      ),
    );
  return object(those(true), those(false));
}

export const some: Schema<string> = {
  json: { type: "string", minLength: 1 },
  check: (value, path = []) =>
    typeof value === "string" && value.trim() !== "" ? [] : [{ path, expected: "a name", found: kindOf(value) }],
};
/** A duration such as 5m as well: what reads a file has made its seconds of it before. */
const orDuration = (number: Schema<number>): Schema<number> => ({
  json: { anyOf: [number.json, { type: "string", pattern: durationPattern }] },
  check: (value, path = []) =>
    typeof value === "string" && secondsIn(value) !== undefined ? [] : number.check(value, path),
});
export const seconds: Schema<number> = orDuration({
  json: { type: "number", exclusiveMinimum: 0 },
  check: (value, path = []) =>
    typeof value === "number" && Number.isFinite(value) && value > 0
      ? []
      : [{ path, expected: "seconds above 0", found: kindOf(value) }],
});
export const secondsFrom0: Schema<number> = orDuration(number(undefined, 0));
/** One or several; an empty list would match nothing. */
export const oneOrMore: Schema<string | string[]> = {
  json: { anyOf: [some.json, { type: "array", items: some.json, minItems: 1 }] },
  check: (value, path = []) =>
    Array.isArray(value) && value.length === 0
      ? [{ path, expected: "a name or a list of names", found: "an empty list" }]
      : either(some, listOf(some)).check(value, path),
};
/** What stands in it is read by a file of its own. */
export const typed: Schema<unknown> = {
  json: { type: "object", required: ["type"] },
  check: (value, path = []) => (value === null ? [{ path, expected: "a map with a type", found: "null" }] : []),
};

export const schemaDocument = (title: string, body: Fields): Fields => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: `Hookline: ${title}`,
  ...body,
});

export const whether = (test: Fields, holds: Fields, otherwise?: Fields): Fields => ({
  if: test,
  // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nothing awaits it
  then: holds,
  ...(otherwise && { else: otherwise }),
});

/** The map has this name under the key. */
export const isNamed = (key: string, name: string): Fields => ({
  properties: { [key]: { const: name } },
  required: [key],
});

/** Keys of their author's own. */
export const remarks: Fields = { patternProperties: { "^x-": {} } };

export const listOfAll = (items: Fields, description?: string): Fields => ({
  type: "array",
  items,
  ...(description === undefined ? {} : { description }),
});

export const propertiesOf = ({ properties }: Fields): Fields => fieldsIn(properties);

/** A map with the fields of a table. @param changed what is said of a field beside its own schema, or in its place */
export function schemaOfTable(table: FieldTable, changed: (name: string, json: Fields) => Json): Fields {
  const fields = Object.entries(table).filter(([, { isOurs }]) => !isOurs);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, changed(name, schema.json)])),
    required: fields.flatMap(([name, { required }]) => (required ? [name] : [])),
    additionalProperties: false,
  };
}
