/** The JSON Schema of our own hook files (hooks.json), made of the tables that also read them: an editor completes and explains by it. */
import type { EventName, Fields, Json } from "../../engine/event.ts";
import { agentEventNames, eventNames, resolveEvent, rowOf, verdictsOf } from "../../engine/events.ts";
import type { Schema } from "../../engine/schema.ts";
import { isNamed, listOfAll, schemaDocument, whether } from "../schema-document.ts";
import { commonFields, isCommon, listedFields } from "./fields.ts";
import { handlerTypes } from "./steps.ts";
import { decidesCalls, listedKeys, listedVerdicts } from "./verdict-lists.ts";

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
        allOf: Object.entries(handlerTypes).map(handlerOf),
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
function handlerOf([type, { fields }]: [string, (typeof handlerTypes)[string]]): Fields {
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
