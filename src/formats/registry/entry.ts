/** One entry of a registry file (specification 001): its fields as schemas, what can be read of it, and findings about the rest. */
import type { Seconds } from "../../engine/event.ts";
import { usualTextLimit } from "../../engine/hook-words.ts";
import { anything, either, flag, integer, mapOf, number, object, type Schema, say, text } from "../../engine/schema.ts";
import { type EntryFormat, type ReadEntry, readEntry } from "../reading/entry.ts";
import { type Events, readEvents } from "../reading/event-names.ts";
import { type FieldTable, field, oneOrMore, schemaOf, seconds, some } from "../reading/fields.ts";
import type { Node, Report } from "../reading/tree.ts";

export type Members = ReadEntry["members"];

export interface ReadHook extends ReadEntry {
  /** Absent: some of its fields are not as they should be, which is reported. */
  entry?: Entry;
  /** Fields of `match` that are as they should be. */
  match: Match;
  events: Events;
}
export function readHook(node: Node, report: Report): ReadHook {
  const read = readEntry(node, format, report);
  const { members, values, wrong, isSound } = read;
  const { match = {} } = values as Partial<Entry>; // where its schema has passed it
  return {
    ...read,
    match: wrong.has("match") ? {} : match,
    events: readEvents(members.get("event_type")?.value, eventWords, report),
    ...(isSound ? { entry: values as unknown as Entry } : {}), // its schema has passed it
  };
}

/** What every command has, unless its author says otherwise (R14). */
export const usualLimit: Seconds = 600;

/** The events of specification 001, for suggestions. */
export const eventWords: { names: readonly string[]; unknown(name: string): string } = {
  names: ["UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStart", "SessionEnd", "SessionStop"],
  unknown: (name) => `no event is called "${name}"`,
};

const milliseconds: Schema<number> = number(undefined, 0);

/** What YAML reads as a number or a flag is text to a program. */
const values: Schema<{ [name: string]: string | number | boolean }> = mapOf(either(text(), either(number(), flag)));

export interface Match {
  ability_scope?: string | string[];
  operation_key?: string | string[];
  min_duration_ms?: number;
  only_if_changed_paths?: string | string[];
}
/** An entry that its schema has passed. */
export interface Entry {
  id: string;
  event_type: string | string[];
  handler: {
    kind?: string;
    command?: string;
    name?: string;
    with?: { [name: string]: never };
    timeout?: number;
  };
  enabled?: boolean;
  report?: boolean;
  summary?: string;
  match?: Match;
  environments?: string | string[];
  blocking?: boolean;
  timeout?: number;
  env?: { [name: string]: string | number | boolean };
  priority?: number;
  text_limit?: number;
}

const handler = {
  kind: say(text(), "script runs a command, builtin what comes with Hookline, function what a module registers"),
  command: say(some, "of a script: a line for bash, or sh, in the repository's root"),
  name: say(some, "which built-in handler, or which function"),
  with: say(mapOf(anything), "its parameters"),
  timeout: say(seconds, "seconds that it may take"),
};
const match = {
  ability_scope: say(oneOrMore, "globs of abilities, such as deploy_*, skill:*, agent:reviewer or tool:Bash"),
  operation_key: say(oneOrMore, "globs of operation keys, such as skill.deploy"),
  min_duration_ms: say(milliseconds, "the call took at least so many milliseconds", 0),
  only_if_changed_paths: say(oneOrMore, "globs of files, of which one must have changed"),
};
export const entryFields: FieldTable = {
  id: field(some, "a name of its own, such as call_tracker", { required: true }),
  event_type: field(oneOrMore, "the event, or a list of them, such as PostAbilityCall", { required: true }),
  handler: field(object({}, handler), "what runs, such as { kind: script, command: ./scripts/hooks/name.sh }", {
    required: true,
  }),
  enabled: field(flag, "false: it is listed and never runs", { default: true }),
  report: field(flag, "true: it runs and is recorded, and nothing that it answers counts", { default: false }),
  summary: field(text(), "its purpose, for lists and people"),
  match: field(object({}, match), "the events that it is for; all of it must hold"),
  environments: field(oneOrMore, "where it is enabled, compared with HOOKLINE_ENV; default: everywhere"),
  effects: field(anything, "a description for people, which Hookline does not use"),
  blocking: field(flag, "true: if it fails, it blocks the event", { default: false }),
  timeout: field(seconds, "seconds that it may take", { default: usualLimit }),
  env: field(values, "variables for the script"),
  priority: field(integer(), "lower runs first", { default: 100 }),
  text_limit: field(integer(undefined, 1), "characters of all that it says to models and people in one answer", {
    default: usualTextLimit,
  }),
};

const format: EntryFormat = {
  name: "a hook",
  schema: schemaOf(entryFields),
  holds: "id, event_type and handler",
  begins: "id: name, and the rest below it",
  durationsIn: ["handler"],
  isLoose: true,
};
export const fieldNames: readonly string[] = Object.keys(entryFields);
export const handlerFields: readonly string[] = Object.keys(handler);
