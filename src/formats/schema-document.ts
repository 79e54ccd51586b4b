/** What the JSON Schemas of all formats are put together of, over the tables that also read the files. */
import type { Fields, Json } from "../engine/event.ts";
import { fieldsIn } from "../engine/schema.ts";
import type { FieldTable } from "./reading/fields.ts";

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
