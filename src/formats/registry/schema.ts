/** The JSON Schema of repository hooks, made of the tables that also read them: an editor completes and explains by it. */
import type { Fields } from "../../engine/event.ts";
import { eventNames } from "../../engine/events.ts";
import type { Registry } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import { entrySchema, eventWords } from "./entry.ts";
import { builtinsOf, handlerKinds } from "./handler.ts";

const entry: Fields = { $ref: "#/$defs/entry" };
const list: Fields = { type: "array", items: entry, description: "several hooks in one file" };

/** @param registry also what extensions have registered */
export function registrySchema(registry: Registry): Fields {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Hookline: repository hooks",
    if: { type: "array" },
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nothing awaits it
    then: list,
    else: {
      if: { type: "object", required: ["hooks"] },
      // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nothing awaits it
      then: { type: "object", properties: { hooks: list } },
      else: entry,
    },
    $defs: { entry: entryOf(registry) },
  };
}

function entryOf(registry: Registry): Fields {
  const fields = propertiesOf(entrySchema.json);
  const handler = isRecord(fields.handler) ? (fields.handler as Fields) : {}; // a schema is JSON
  const { event_type: event = {} } = fields;
  return {
    ...entrySchema.json,
    properties: {
      ...fields,
      event_type: { ...(event as Fields), examples: [...new Set([...eventWords.names, ...eventNames])] },
      handler: { ...handler, ...handlerOf(handler, registry) },
    },
    patternProperties: { "^x-": {} },
  };
}

/** A built-in handler's parameters by its name. */
function handlerOf(handler: Fields, registry: Registry): Fields {
  const { kind, name, ...rest } = propertiesOf(handler);
  const builtins = [...builtinsOf(registry)];
  return {
    properties: {
      kind: { ...(kind as Fields), enum: [...handlerKinds] },
      name: { ...(name as Fields), examples: builtins.map(([one]) => one) },
      ...rest,
    },
    allOf: builtins.map(([one, { params }]) => ({
      if: { properties: { name: { const: one } }, required: ["name"] },
      // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nothing awaits it
      then: { properties: { with: { ...params.json, description: `the parameters of ${one}` } } },
    })),
  };
}

const propertiesOf = ({ properties }: Fields): Fields => (isRecord(properties) ? (properties as Fields) : {}); // a schema is JSON
