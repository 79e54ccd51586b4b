/** Parameters that have to be text, printed, whatever a placeholder that is the whole of one holds. Apart, for it only reads JSON Schema. */
import type { Fields, Json } from "./event.ts";
import { isRecord } from "./schema.ts";
import { printValue } from "./template.ts";

export type Print = (value: Json) => Json;

/** By the JSON Schema of the parameters; undefined: nothing in them has to be text. What may also be another thing stays as it is. */
export function printerOf(schema: Fields): Print | undefined {
  if (schema.type === "string") return printValue;
  if (schema.type === "array") return ofList(schema);
  return schema.type === "object" ? ofObject(schema) : undefined;
}

const within = (schema: unknown): Print | undefined => (isRecord(schema) ? printerOf(schema as Fields) : undefined); // a part of JSON

function ofList({ items }: Fields): Print | undefined {
  const print = within(items);
  return print && ((value) => (Array.isArray(value) ? value.map(print) : value));
}

function ofObject({ properties, additionalProperties }: Fields): Print | undefined {
  const named = new Map<string, Print>();
  for (const [key, one] of Object.entries(isRecord(properties) ? properties : {})) {
    const print = within(one);
    if (print) named.set(key, print);
  }
  const other = within(additionalProperties);
  if (named.size === 0 && !other) return undefined;
  const printed = (key: string, value: Json): Json => (named.get(key) ?? other)?.(value) ?? value;
  return (value) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value as Fields).map(([key, one]) => [key, printed(key, one)])) // it is JSON
      : value;
}
