/** The file formats by their names on the command line: the JSON Schema of each, made of the tables that also read it, its files, and an example that holds. */
import type { EventName, Fields, Json } from "../engine/event.ts";
import { agentEventNames, eventNames, resolveEvent, rowOf, verdictsOf } from "../engine/events.ts";
import type { Registry } from "../engine/ports.ts";
import { fieldsIn, isRecord, type Schema } from "../engine/schema.ts";
import { testsSchema } from "./hook-tests/fields.ts";
import { isNamed, listOfAll, propertiesOf, remarks, schemaDocument, schemaOfTable, whether } from "./reading/fields.ts";
import { entryFields, eventWords } from "./registry/entry.ts";
import { builtinsOf, handlerKinds } from "./registry/handler.ts";
import { scriptsSchema } from "./scripts/fields.ts";
import { commonFields, isCommon, listedFields } from "./settings/fields.ts";
import { handlerTypes } from "./settings/steps.ts";
import { decidesCalls, listedKeys, listedVerdicts } from "./settings/verdict-lists.ts";
import { automationSchema, rulesSchema } from "./yaml-schemas.ts";

export interface Format {
  /** @param registry also what extensions have registered */
  make(registry: Registry): Fields;
  /** Its files in a project, for editors. */
  files: readonly string[];
  /** How an editor reads them; absent: not with a schema. */
  language?: "yaml" | "json";
  example: Json;
}

const rule: Fields = {
  id: "no-push",
  on: "tool_start",
  condition: { type: "shell", runs: ["git push *"] },
  action: { type: "gate", reason: "people push" },
};

export const formats: Readonly<Record<string, Format>> = {
  rules: {
    make: (registry) => rulesSchema(registry, "rules"),
    files: [".hookline/rules/*.yaml"],
    language: "yaml",
    example: { hooks: [rule] },
  },
  settings: {
    make: hooksSchema,
    files: [".hookline/hooks.json", ".hookline/hooks.local.json"],
    language: "json",
    example: {
      hooks: {
        PreToolUse: [{ deny: ["Bash(git push --force *)"] }],
        Stop: [{ hooks: [{ command: "npm test", timeout: 300 }] }],
      },
    },
  },
  scripts: {
    make: scriptsSchema,
    files: [".hookline/hooks/*"],
    example: { name: "Go format check", type: "file", pattern: "*.go", timeout: 60 },
  },
  registry: {
    make: registrySchema,
    files: [".system/hooks/*.yaml", ".hookline/registry/*.yaml"],
    language: "yaml",
    example: {
      id: "call_tracker",
      event_type: "PostAbilityCall",
      handler: { kind: "script", command: "cat >>.hookline/calls.jsonl; echo {}" },
      match: { ability_scope: "deploy_*" },
    },
  },
  automation: {
    make: automationSchema,
    files: [".hookline/automations/*.yaml"],
    language: "yaml",
    example: {
      name: "nightly report",
      trigger: { type: "cron", cron: "0 3 * * *" },
      prompt_template: "Summarize what changed today.",
    },
  },
  config: {
    make: (registry) => rulesSchema(registry, "config"),
    files: ["hookline.yaml"],
    language: "yaml",
    example: { hooks: [rule], models: { default: "anthropic/claude-sonnet-4-5" } },
  },
  app: {
    make: (registry) => rulesSchema(registry, "app"),
    files: [".hookline/app.yaml"],
    language: "yaml",
    example: {
      runtime: { hooks: [rule] },
      agents: [{ id: "assistant", hooks: [{ ...rule, id: "assistant-no-push" }] }],
    },
  },
  tests: {
    make: testsSchema,
    files: ["**/*.hooktest.yaml"],
    language: "yaml",
    example: {
      tests: [
        {
          name: "a push is denied",
          event: "PreToolUse",
          data: { tool_name: "Bash", tool_input: { command: "git push" } },
          expect: { verdict: "deny" },
        },
      ],
    },
  },
};

/** The schema as it is printed: each field of the example has its part of it, which editors show beside what the field means. */
export function schemaOf({ make, example }: Format, registry: Registry): Fields {
  const schema = make(registry);
  return { ...withExamples(schema, example, schema), examples: [example] };
}

/** The same node, with examples at what stands in it directly or by a reference, which is shared. */
function withExamples(node: Fields, example: Json, root: Fields): Fields {
  const defs = fieldsIn(root.$defs);
  const [, name = ""] = /^#\/\$defs\/(\w+)$/.exec(String(node.$ref)) ?? [];
  if (defs[name] !== undefined) defs[name] = withExamples(fieldsIn(defs[name]), example, root);
  if (Array.isArray(example))
    return isRecord(node.items)
      ? { ...node, items: withExamples(fieldsIn(node.items), example[0] ?? null, root) }
      : node;
  if (!isRecord(example)) return node;
  if (!isRecord(node.properties))
    return isRecord(node.else) ? { ...node, else: withExamples(fieldsIn(node.else), example, root) } : node;
  const properties = Object.entries(fieldsIn(node.properties)).map(([key, inner]): [string, Json] => {
    const value = Object.hasOwn(example, key) ? example[key] : undefined;
    if (value === undefined) return [key, inner];
    return [key, { ...withExamples(fieldsIn(inner), value, root), examples: [value] }];
  });
  return { ...node, properties: Object.fromEntries(properties) };
}

export const schemaText = (format: Format, registry: Registry): string =>
  `${JSON.stringify(schemaOf(format, registry), null, 2)}\n`;

// Of repository hooks.

const entry: Fields = { $ref: "#/$defs/entry" };
const list: Fields = listOfAll(entry, "several hooks in one file");

/** @param registry also what extensions have registered */
function registrySchema(registry: Registry): Fields {
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

/** Of our own hook files. */
export function hooksSchema(): Fields {
  const events = Object.fromEntries(eventNames.map((name) => [name, groupsOf(name)]));
  const anyEvent: Fields = { "\\.": { $ref: "#/$defs/groups" } };
  return schemaDocument("hooks.json", {
    ...closed(
      {
        hooks: { description: "a list of groups for each event", ...closed(events, anyEvent) },
        ...lists("PreToolUse"),
        disableAllHooks: { type: "boolean", description: "true switches off the hooks of all files" },
        allowManagedHooksOnly: { type: "boolean", description: "counts in managed files only" },
        ...{ version: {}, name: {}, description: {} },
        ...events,
      },
      anyEvent,
    ),
    $defs: {
      groups: listOfAll(group({})),
      ...Object.fromEntries(deciding.map((name) => [`groupsOf${name}`, listOfAll(group(lists(name)))])),
      handler: {
        type: "object",
        allOf: Object.entries(handlerTypes).map(handlerOfType),
        ...known(Object.keys(handlerTypes)),
      },
      entry: {
        anyOf: [
          { type: "string", description: "a tool pattern such as Bash(git push --force *)" },
          closed(
            jsonOf(
              Object.fromEntries(listedKeys.map((key) => [key, isCommon(key) ? commonFields[key] : listedFields[key]])),
            ),
          ),
        ],
      },
    },
  });
}

const deciding: readonly EventName[] = agentEventNames.filter(decidesCalls);

/** An alias has the groups of its event. */
function groupsOf(written: string): Fields {
  const [event, ...others] = resolveEvent(written) ?? [];
  const isDeciding = event !== undefined && others.length === 0 && decidesCalls(event);
  return { $ref: isDeciding ? `#/$defs/groupsOf${event}` : "#/$defs/groups" };
}

/** The lists that count on an event. */
const lists = (event: EventName): Fields =>
  Object.fromEntries(
    listedVerdicts
      .filter((verdict) => verdictsOf(rowOf(event)).includes(verdict))
      .map((verdict) => [
        verdict,
        {
          ...listOfAll({ $ref: "#/$defs/entry" }),
          minItems: 1,
          description: `calls to ${verdict} without running anything`,
        },
      ]),
  );

/** Fields of a group hold for its handlers; a group without a list of them is a handler itself. */
const group = (verdicts: Fields): Fields =>
  closed({
    hooks: {
      ...listOfAll({ $ref: "#/$defs/handler" }),
      description: "what runs; its own fields go before those of the group",
    },
    ...verdicts,
    ...jsonOf(commonFields),
    type: typeField,
    ...Object.assign({}, ...Object.values(handlerTypes).map(({ fields }) => jsonOf(fields))),
  });

const typeField: Fields = { enum: Object.keys(handlerTypes), default: "command", description: "what runs" };

const known = (types: string[]): Fields => ({ properties: { type: { ...typeField, enum: types } } });

/** Without a type it is a command. */
function handlerOfType([type, { fields }]: [string, (typeof handlerTypes)[string]]): Fields {
  const isType: Fields = { properties: { type: { const: type } } };
  return whether(
    type === typeField.default ? isType : isNamed("type", type),
    closed({ type: {}, ...jsonOf(commonFields), ...jsonOf(fields) }),
  );
}

/** Remarks may stand anywhere. */
const closed = (properties: Fields, patternProperties: Fields = {}): Fields => ({
  type: "object",
  properties,
  patternProperties: { ...patternProperties, "^(//|[_$#]|comments?$)": {} },
  additionalProperties: false,
});

const jsonOf = (fields: { readonly [key: string]: Schema<unknown> | undefined }): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, schema]): [string, Json] => [key, schema?.json ?? {}]));
