/** The JSON Schema of repository hooks, made of the tables that also read them: an editor completes and explains by it. */
import type { Fields } from "../../engine/event.ts";
import { eventNames } from "../../engine/events.ts";
import type { Registry } from "../../engine/ports.ts";
import {
  isNamed,
  listOfAll,
  propertiesOf,
  remarks,
  schemaDocument,
  schemaOfTable,
  whether,
} from "../schema-document.ts";
import { entryFields, eventWords } from "./entry.ts";
import { builtinsOf, handlerKinds } from "./handler.ts";

const entry: Fields = { $ref: "#/$defs/entry" };
const list: Fields = listOfAll(entry, "several hooks in one file");

/** @param registry also what extensions have registered */
export function registrySchema(registry: Registry): Fields {
  const isMap = whether(
    { type: "object", required: ["hooks"] },
    { type: "object", properties: { hooks: list } },
    entry,
  );
  const changed: { readonly [field: string]: (json: Fields) => Fields } = {
    event_type: (json) => ({ ...json, examples: [...new Set([...eventWords.names, ...eventNames])] }),
    handler: (json) => ({ ...json, ...handlerOf(json, registry) }),
  };
  const ofEntry = schemaOfTable(entryFields, (name, json) => changed[name]?.(json) ?? json);
  return schemaDocument("repository hooks", {
    ...whether({ type: "array" }, list, isMap),
    $defs: { entry: { ...ofEntry, ...remarks } },
  });
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
    allOf: builtins.map(([one, { params }]) =>
      whether(isNamed("name", one), {
        properties: { with: { ...params.json, description: `the parameters of ${one}` } },
      }),
    ),
  };
}
