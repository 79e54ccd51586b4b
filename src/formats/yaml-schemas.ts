/**
 * The JSON Schema of rules files, app files, hookline.yaml and files of automations, made of the tables that also check and document them. An
 * editor with a YAML language server completes and explains by it; what it cannot say (`check` can) is left open.
 */
import type { Fields } from "../engine/event.ts";
import { skipFlagNames, skipFlags } from "../engine/named.ts";
import type { Registry } from "../engine/ports.ts";
import { isFields } from "../engine/schema.ts";
import { placeholders } from "../engine/template.ts";
import { automationFields, triggerKinds } from "./automations/fields.ts";
import { contextSteps } from "./automations/steps.ts";
import { configKeys } from "./config/keys.ts";
import { takingDurations } from "./reading/durations.ts";
import { isNamed, listOfAll, propertiesOf, remarks, schemaDocument, schemaOfTable, whether } from "./reading/fields.ts";
import { authorsActions, chain } from "./rules/actions.ts";
import { authorsConditions, composites } from "./rules/conditions.ts";
import { ruleEvents, ruleFields, writableEvents } from "./rules/fields.ts";

/** Which file it is for; all: any of them, by what they hold. */
export type SchemaKind = "all" | "rules" | "app" | "config";

/** @param registry also what extensions have registered */
export function rulesSchema(registry: Registry, kind: SchemaKind = "all"): Fields {
  return schemaDocument(titles[kind], {
    type: "object",
    ...files[kind],
    $defs: {
      rules: { type: ["array", "null"], items: { $ref: "#/$defs/rule" } },
      rule: ruleSchema(),
      event: eventSchema(),
      condition: typedSchema("what kind of condition it is", conditionTypes(registry), besideOrUnder),
      action: {
        ...typedSchema("what kind of action it is", actionTypes(registry), besideOrUnder),
        description: ["Every text in it may hold placeholders.", ...filledIn].join("\n"),
      },
    },
  });
}

const titles: { readonly [K in SchemaKind]: string } = {
  all: "rules, app files and settings",
  rules: "rules",
  app: "an app file with rules",
  config: "settings and rules",
};

const rules: Fields = { $ref: "#/$defs/rules", description: "rules: condition and action pairs that fire on events" };
/** What an app file holds beside hooks is none of ours. */
const app: Fields = {
  runtime: { type: ["object", "null"], properties: { hooks: rules }, description: "of the whole app" },
  agents: {
    description: "of single agents",
    type: ["array", "null"],
    items: {
      type: "object",
      properties: {
        id: { type: "string", minLength: 1, description: "the agent whose rules these are" },
        hooks: rules,
      },
      dependentRequired: { hooks: ["id"] },
    },
  },
};
const about: Fields = { version: {}, name: {}, description: {} };
const settings: Fields = Object.fromEntries(
  Object.entries(configKeys).map(([key, { json, description }]) => [key, { ...json, description }]),
);
const closed: Fields = { ...remarks, additionalProperties: false };

const anyOfThem: Fields = { hooks: rules, ...app, ...about, ...settings };
const files: { readonly [K in SchemaKind]: Fields } = {
  all: {
    properties: anyOfThem,
    if: { anyOf: [{ required: ["runtime"] }, { required: ["agents"] }] },
    else: { propertyNames: { anyOf: [{ enum: Object.keys(anyOfThem) }, { pattern: "^x-" }] } },
  },
  rules: { properties: { hooks: rules, ...app, ...about }, ...closed },
  app: { properties: app },
  config: { properties: { hooks: rules, ...settings }, ...closed },
};

function ruleSchema(): Fields {
  const ofTable = schemaOfTable(ruleFields, fieldOf);
  const event: Fields = {
    ...fieldOf("on", ruleFields.on.schema.json),
    description: 'the same as "on", which is preferred',
  };
  return { ...ofTable, properties: { ...propertiesOf(ofTable), event }, not: { required: ["on", "event"] } };
}

const event: Fields = { $ref: "#/$defs/event" };

/** Those that the table of fields only names. */
function fieldOf(name: string, json: Fields): Fields {
  const { description = "", default: otherwise } = json;
  if (name === "condition" || name === "action") return { $ref: `#/$defs/${name}`, description };
  if (name !== "on") return json;
  const list: Fields = { ...listOfAll(event), minItems: 1 };
  return { anyOf: [event, list], description, ...(otherwise === undefined ? {} : { default: otherwise }) };
}

const eventSchema = (): Fields => ({
  description: ["the moment it is asked:", ...ruleEvents.map(({ name, when }) => `${name}: ${when}`)].join("\n"),
  anyOf: [
    { enum: [...writableEvents] },
    { type: "string", pattern: "^[\\w-]+(\\.[\\w-]+)+$", description: "an application event, such as deploy.started" },
  ],
});

/** A name that an author writes as `type`, what it does, and what may stand beside it. */
interface Type {
  name: string;
  summary: string;
  params: Fields;
}

const conditionTypes = (registry: Registry): Type[] => [
  ...authorsConditions(registry).map(([name, { summary = "", params }]) => ({ name, summary, params: params.json })),
  ...Object.entries(composites).map(([name, { summary, holds, description }]) => ({
    name,
    summary,
    params: objectOf(holds, innerOf(holds, "condition", description)),
  })),
];

const actionTypes = (registry: Registry): Type[] => [
  ...authorsActions(registry).map(([name, { action, params }]) => ({
    name,
    summary: action.summary,
    params: params.json,
  })),
  {
    name: chain.name,
    summary: chain.summary,
    params: objectOf(
      "actions",
      { ...innerOf("actions", "action", chain.actions), minItems: 1 },
      {
        stop_on_failure: chain.stopOnFailure.json,
      },
    ),
  },
];

const innerOf = (key: string, part: string, description: string): Fields =>
  key.endsWith("s")
    ? { type: "array", items: { $ref: `#/$defs/${part}` }, description }
    : { $ref: `#/$defs/${part}`, description };

const objectOf = (key: string, inner: Fields, more: Fields = {}): Fields => ({
  type: "object",
  properties: { [key]: inner, ...more },
  required: [key],
  additionalProperties: false,
});

/** One test for each type, so that what an editor says is about that type alone. */
function typedSchema(what: string, given: readonly Type[], fieldsOf: (type: Type) => Fields): Fields {
  const types = given.map((type) => ({ ...type, params: takingDurations(type.params) }));
  const description = [what, ...types.map(({ name, summary }) => `${name}: ${summary}`)].join("\n");
  return {
    type: "object",
    properties: { type: { enum: types.map(({ name }) => name), description } },
    required: ["type"],
    allOf: types.map((type) => whether(isNamed("type", type.name), fieldsOf(type))),
  };
}

/** The parameters stand beside `type`. */
const allBeside = ({ name, summary, params }: Type): Fields => ({
  properties: { type: { const: name, description: summary }, ...propertiesOf(params) },
  additionalProperties: false,
  required: ["type", ...(Array.isArray(params.required) ? params.required : [])],
});

const underParams = "its parameters, where they do not stand beside type";

/** The parameters stand beside `type`, or under `params` unless the type has such a parameter itself (D58). */
function besideOrUnder(type: Type): Fields {
  const { name, params } = type;
  const all = allBeside(type);
  const properties = propertiesOf(params);
  if (Object.hasOwn(properties, "params")) return all;
  const { required: _all, ...beside } = all;
  const under = { ...params, required: [], description: underParams };
  return whether(
    { required: ["params"] },
    { ...beside, properties: { type: { const: name }, ...properties, params: under } },
    all,
  );
}

/** What a text of it may hold. */
const filledIn = placeholders.map(({ name, meaning }) => `{{${name}}}: ${meaning}`);

export function automationSchema(registry: Pick<Registry, "handlers">): Fields {
  const one: Fields = { $ref: "#/$defs/automation" };
  const list: Fields = { ...listOfAll(one, "several automations in one file"), type: ["array", "null"] };
  const ofList = { properties: { automations: list, version: {}, description: {} }, ...closed };
  return schemaDocument("automations", {
    type: "object",
    ...whether({ required: ["automations"] }, ofList, one),
    $defs: {
      automation: automationOf(),
      trigger: typedSchema(
        "what sets it off",
        Object.entries(triggerKinds).map(([name, { summary, params }]) => ({ name, summary, params: params.json })),
        allBeside,
      ),
      step: typedSchema(
        "what is gathered",
        [...contextSteps(registry)].map(([name, { handler }]) => ({
          name,
          summary: handler.contextStep.summary,
          params: { ...handler.params.json, properties: { ...propertiesOf(handler.params.json), ...flagSchemas } },
        })),
        allBeside,
      ),
    },
  });
}

const flagSchemas: Fields = Object.fromEntries(
  skipFlagNames.map((name) => [skipFlags[name].written, { type: "boolean", description: skipFlags[name].summary }]),
);

const elsewhere: Fields = {
  trigger: { $ref: "#/$defs/trigger" },
  context_steps: { type: "array", items: { $ref: "#/$defs/step" } },
};

const automationOf = (): Fields =>
  schemaOfTable(automationFields, (name, json) => {
    const { description = "" } = json;
    const about = name === "prompt_template" ? [description, ...filledIn].join("\n") : description;
    const own = isFields(elsewhere[name]) ? elsewhere[name] : json;
    return { ...own, description: about };
  });
