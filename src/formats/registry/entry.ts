/** One entry of a registry file (specification 001): its fields as schemas, what can be read of it, and findings about the rest. */
import type { Seconds } from "../../engine/event.ts";
import { usualTextLimit } from "../../engine/hook-words.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import {
  anything,
  either,
  flag,
  integer,
  kindOf,
  type Mismatch,
  mapOf,
  number,
  object,
  type Schema,
  say,
  text,
} from "../../engine/schema.ts";
import { readDurations } from "../reading/durations.ts";
import { type Events, readEvents } from "../reading/event-names.ts";
import { offsetAt, reportWrong } from "../reading/mismatches.ts";
import { jsonOf, type Member, membersOf, type Node, type Report } from "../reading/tree.ts";
import { oneOrMore, seconds, some } from "../rules/fields.ts";

/** By field; those that are empty count as left out. */
export type Members = ReadonlyMap<string, Member>;

export interface ReadEntry {
  node: Node;
  members: Members;
  /** Absent: some of its fields are not as they should be, which is reported. */
  entry?: Entry;
  /** Fields of `match` that are as they should be. */
  match: NonNullable<Entry["match"]>;
  events: Events;
}
export function readEntry(node: Node, report: Report): ReadEntry {
  const members = new Map(
    membersOf(node).flatMap((member) => (isEmpty(member) ? [] : [[member.key, member] as const])),
  );
  if (node.type !== "object") {
    const message = `a hook is a map with id, event_type and handler, not ${kindOf(jsonOf(node))}`;
    report(node.offset, {
      severity: "error",
      code: "wrong-type",
      message,
      suggestion: "write id: name, and the rest below it",
    });
    return { node, members, match: {}, events: readEvents(undefined, eventWords, report) };
  }
  readDurations([...members.values(), ...membersOf(members.get("handler")?.value)]);
  const wrong = entrySchema.check(valuesOf(members));
  for (const mismatch of wrong) if (mismatch.unknown) tellUnknown(mismatch, { node, members }, report);
  const others = wrong.filter((one) => !one.unknown && !isMisspelt(one, members));
  reportWrong(others, { name: "the hook", node, members }, report);
  const isSound = !wrong.some((one) => !one.unknown || nearestOf(one) !== undefined);
  return {
    node,
    members,
    match: wrong.some(({ path: [field] }) => field === "match") ? {} : (valuesOf(members).match ?? {}),
    events: readEvents(members.get("event_type")?.value, eventWords, report),
    ...(isSound ? { entry: valuesOf(members) as Entry } : {}), // its schema has passed it
  };
}

const isEmpty = ({ value }: Member): boolean => value.type === "null";

const valuesOf = (members: Members): Partial<Entry> =>
  Object.fromEntries([...members].map(([key, { value }]) => [key, withoutEmpty(value)]));

/** What stands empty in `match` and `handler` counts as left out, too. */
function withoutEmpty(node: Node): unknown {
  if (node.type !== "object") return jsonOf(node);
  return Object.fromEntries(membersOf(node).flatMap((one) => (isEmpty(one) ? [] : [[one.key, jsonOf(one.value)]])));
}

const nearestOf = ({ path, known = [] }: Mismatch): string | undefined => nearest(String(path.at(-1)), known);

/** A field that is missing because its name is misspelt is reported there. */
const isMisspelt = ({ path, found }: Mismatch, members: Members): boolean =>
  found === "nothing" &&
  path.length === 1 &&
  [...members.keys()].some((key) => !fieldNames.includes(key) && nearest(key, fieldNames) === path[0]);

/** A word that may be a misspelt field changes what the hook does; any other is a remark of its author's. */
function tellUnknown(mismatch: Mismatch, { node, members }: Pick<ReadEntry, "node" | "members">, report: Report): void {
  const { path, known = [] } = mismatch;
  const name = path.join(".");
  if (name.startsWith("x-")) return;
  const near = didYouMean(String(path.at(-1)), known);
  report(offsetAt({ node, members }, path, "key"), {
    severity: near ? "error" : "warning",
    code: "unknown-field",
    message: near ? `a hook has no "${name}"` : `nothing reads "${name}"`,
    suggestion: near ?? `known: ${known.join(", ")}`,
  });
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
const required = {
  id: say(some, "a name of its own, such as call_tracker"),
  event_type: say(oneOrMore, "the event, or a list of them, such as PostAbilityCall"),
  handler: say(object({}, handler), "what runs, such as { kind: script, command: ./scripts/hooks/name.sh }"),
};
const match = {
  ability_scope: say(oneOrMore, "globs of abilities, such as deploy_*, skill:*, agent:reviewer or tool:Bash"),
  operation_key: say(oneOrMore, "globs of operation keys, such as skill.deploy"),
  min_duration_ms: say(milliseconds, "the call took at least so many milliseconds", 0),
  only_if_changed_paths: say(oneOrMore, "globs of files, of which one must have changed"),
};
const optional = {
  enabled: say(flag, "false: it is listed and never runs", true),
  report: say(flag, "true: it runs and is recorded, and nothing that it answers counts", false),
  summary: say(text(), "its purpose, for lists and people"),
  match: say(object({}, match), "the events that it is for; all of it must hold"),
  environments: say(oneOrMore, "where it is enabled, compared with HOOKLINE_ENV; default: everywhere"),
  effects: say(anything, "a description for people, which Hookline does not use"),
  blocking: say(flag, "true: if it fails, it blocks the event", false),
  timeout: say(seconds, "seconds that it may take", usualLimit),
  env: say(values, "variables for the script"),
  priority: say(integer(), "lower runs first", 100),
  text_limit: say(
    integer(undefined, 1),
    "characters of all that it says to models and people in one answer",
    usualTextLimit,
  ),
};

export const entrySchema: Schema<unknown> = object(required, optional);
export const fieldNames: readonly string[] = [...Object.keys(required), ...Object.keys(optional)];
export const handlerFields: readonly string[] = Object.keys(handler);
