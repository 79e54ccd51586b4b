/** The JSON Schema of a script's front matter, made of the table that also reads it. */
import type { Fields } from "../../engine/event.ts";
import { scriptFieldNames, scriptFields } from "./fields.ts";

export function scriptsSchema(): Fields {
  const rows = Object.entries(scriptFields);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Hookline: the front matter of a script",
    type: "object",
    properties: Object.fromEntries(
      rows.map(([name, { says, of, otherwise, json }]) => [
        name,
        {
          ...json,
          description: [says, ...(of ? [`for ${of.join(" and ")} scripts`] : []), leftOut(otherwise)].join("; "),
        },
      ]),
    ),
    required: scriptFieldNames.filter((name) =>
      rows.some(([one, { otherwise }]) => one === name && otherwise === "required"),
    ),
    allOf: rows.flatMap(([name, { otherwise }]) => {
      const [, type] = /^required for `(.+)`$/.exec(otherwise) ?? [];
      const isType: Fields = { properties: { type: { const: type ?? "" } }, required: ["type"] };
      // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nothing awaits it
      return type === undefined ? [] : [{ if: isType, then: { required: [name] } }];
    }),
    additionalProperties: false,
  };
}

const leftOut = (otherwise: string): string =>
  otherwise.startsWith("required") ? otherwise : otherwise === "" ? "optional" : `default: ${otherwise}`;
