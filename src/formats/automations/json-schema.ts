/** The JSON Schema of files of automations, made of the tables that also check and document them. For editors. */
import type { Fields, Json } from "../../engine/event.ts";
import { skipFlagNames, skipFlags } from "../../engine/named.ts";
import type { Registry } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import { placeholders } from "../../engine/template.ts";
import { automationFields, triggerKinds } from "./schema.ts";
import { contextSteps } from "./steps.ts";

export function automationSchema(registry: Pick<Registry, "handlers">): Fields {
  const list: Fields = { type: ["array", "null"], items: { $ref: "#/$defs/automation" } };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Hookline: automations",
    type: "object",
    if: { required: ["automations"] },
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nobody awaits it
    then: {
      properties: { automations: list, version: {}, description: {} },
      patternProperties: { "^x-": {} },
      additionalProperties: false,
    },
    else: { $ref: "#/$defs/automation" },
    $defs: {
      automation: automationOf(),
      trigger: typed(
        "what sets it off",
        Object.entries(triggerKinds).map(([name, { summary, params }]) => ({ name, summary, params: params.json })),
      ),
      step: typed(
        "what is gathered",
        [...contextSteps(registry)].map(([name, { handler }]) => ({
          name,
          summary: handler.contextStep.summary,
          params: handler.params.json,
        })),
        flagSchemas,
      ),
    },
  };
}

const flagSchemas: Fields = Object.fromEntries(
  skipFlagNames.map((name) => [skipFlags[name].written, { type: "boolean", description: skipFlags[name].summary }]),
);

const elsewhere: Fields = {
  trigger: { $ref: "#/$defs/trigger" },
  context_steps: { type: "array", items: { $ref: "#/$defs/step" } },
};

function automationOf(): Fields {
  const filled = placeholders.map(({ name, meaning }) => `{{${name}}}: ${meaning}`);
  const fields = Object.entries(automationFields).filter(([, { isOurs }]) => !isOurs);
  const properties = fields.map(([name, { schema }]): [string, Json] => {
    const { description = "" } = schema.json;
    const about = name === "prompt_template" ? [description, ...filled].join("\n") : description;
    const own = isRecord(elsewhere[name]) ? (elsewhere[name] as Fields) : schema.json; // it is JSON
    return [name, { ...own, description: about }];
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: fields.flatMap(([name, { required }]) => (required ? [name] : [])),
    additionalProperties: false,
  };
}

interface Type {
  name: string;
  summary: string;
  params: Fields;
}

/** One test for each type, so that what an editor says is about that type alone. */
function typed(what: string, types: readonly Type[], beside: Fields = {}): Fields {
  const description = [what, ...types.map(({ name, summary }) => `${name}: ${summary}`)].join("\n");
  return {
    type: "object",
    properties: { type: { enum: types.map(({ name }) => name), description } },
    required: ["type"],
    allOf: types.map(({ name, summary, params }) => ({
      if: { properties: { type: { const: name } }, required: ["type"] },
      // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nobody awaits it
      then: {
        properties: {
          type: { const: name, description: summary },
          ...(isRecord(params.properties) ? (params.properties as Fields) : {}), // a schema is JSON
          ...beside,
        },
        required: Array.isArray(params.required) ? params.required : [],
        additionalProperties: false,
      },
    })),
  };
}
