/** The JSON Schema of our own hook files (hooks.json), made of the tables that also read them: an editor completes and explains by it. */
import type { EventName, Fields, Json } from "../../engine/event.ts";
import { agentEventNames, eventNames, resolveEvent, rowOf, verdictsOf } from "../../engine/events.ts";
import { flag, integer, listOf, number, oneOf, type Schema, say, text } from "../../engine/schema.ts";
import { policies, roles } from "./hook.ts";
import { handlerTypes, resident } from "./steps.ts";
import { patternList } from "./tool-patterns.ts";
import { decidesCalls, listedKeys, listedVerdicts } from "./verdict-lists.ts";

const seconds: Schema<number> = number(undefined, 0);

/** What every hook may say, whatever it runs. */
export const commonFields: { readonly [key: string]: Schema<unknown> } = {
  matcher: say(text(), "which match values: names (Write|Edit), a tool pattern, or a regular expression; absent: all"),
  if: say(patternList, "tool patterns such as Bash(git push *), of which one must match"),
  not: say(patternList, "tool patterns that are exceptions to if"),
  timeout: say(seconds, "seconds"),
  timeoutSec: say(seconds, "the same as timeout"),
  role: say(oneOf(...roles), "a guard is evaluated again after a rewrite, and blocks if it fails", "undeclared"),
  onFailure: say(oneOf(...policies), "what counts when it fails, times out or cannot start"),
  blocking: say(flag, "true is onFailure: block", false),
  failClosed: say(flag, "true is onFailure: block", false),
  statusMessage: say(text(), "shown while it runs"),
  once: say(flag, "at most once in a session", false),
  async: say(flag, "in the background: its verdict counts nowhere", false),
  asyncRewake: say(flag, "in the background: if it blocks, the model gets a notice later", false),
  description: say(text(), "what people see, where there is no name"),
  name: say(text(), "what people see"),
  id: say(text(), "records and limits are kept under it"),
  priority: say(number(), "lower runs first", 100),
  enabled: say(flag, "false: it stays listed and does not run", true),
  tags: say(listOf(text()), "words to find it by"),
  replaces: say(
    flag,
    "true: its rewrite makes the call safe, and guards of its own and of lower layers judge only what will run",
    false,
  ),
  report: say(flag, "true: it is evaluated and recorded, and changes nothing", false),
  resident: say(resident, "the program starts once and answers one line of JSON for each event"),
  textLimit: say(integer(undefined, 1), "characters of all that it says in one answer"),
};

const listed: { readonly [key: string]: Schema<unknown> } = {
  reason: say(text(), "why, in words for the model and the person"),
  suggestion: say(text(), "what to do instead"),
};

export function hooksSchema(): Fields {
  const events = Object.fromEntries(eventNames.map((name) => [name, groupsOf(name)]));
  const anyEvent: Fields = { "\\.": { $ref: "#/$defs/groups" } };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Hookline: hooks.json",
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
      groups: list(group({})),
      ...Object.fromEntries(deciding.map((name) => [`groupsOf${name}`, list(group(lists(name)))])),
      handler: {
        type: "object",
        allOf: Object.entries(handlerTypes).map(handlerOf),
        ...known(Object.keys(handlerTypes)),
      },
      entry: {
        anyOf: [
          { type: "string", description: "a tool pattern such as Bash(git push --force *)" },
          closed(jsonOf(Object.fromEntries(listedKeys.map((key) => [key, commonFields[key] ?? listed[key]])))),
        ],
      },
    },
  };
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
          ...list({ $ref: "#/$defs/entry" }),
          minItems: 1,
          description: `calls to ${verdict} without running anything`,
        },
      ]),
  );

const list = (items: Fields): Fields => ({ type: "array", items });

/** Fields of a group hold for its handlers; a group without a list of them is a handler itself. */
const group = (verdicts: Fields): Fields =>
  closed({
    hooks: {
      ...list({ $ref: "#/$defs/handler" }),
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
  return {
    if: type === typeField.default ? isType : { ...isType, required: ["type"] },
    // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's word, and nothing awaits it
    then: closed({ type: {}, ...jsonOf(commonFields), ...jsonOf(fields) }),
  };
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
