/** One entry of a registry file, checked field by field: what can be read of it, and what is told of the rest. */
import type { EventName } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { didYouMean, nearest, nearestFew } from "../../engine/nearest.ts";
import { kindOf, type Mismatch } from "../../engine/schema.ts";
import type { Member, Node } from "../reading/json-tree.ts";
import type { RuleReport } from "../reading/yaml-nodes.ts";
import { jsonOf, membersOf } from "../reading/yaml-values.ts";
import { tellWrong } from "../rules/parameters.ts";
import { type Entry, entrySchema, fieldNames } from "./fields.ts";

/** By field; those that are empty count as left out. */
export type Members = ReadonlyMap<string, Member>;

export interface ReadEntry {
  node: Node;
  members: Members;
  /** Absent: some of its fields are not as they should be, which was told. */
  entry?: Entry;
  /** Fields of `match` that are as they should be. */
  match: NonNullable<Entry["match"]>;
  events: Events;
}
export interface Events {
  /** As their author wrote them. */
  written: string[];
  events: EventName[];
  /** What names that mean nothing were most likely meant to be. */
  meant: EventName[];
}

export function readEntry(node: Node, report: RuleReport): ReadEntry {
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
    return { node, members, match: {}, events: noEvents() };
  }
  const wrong = entrySchema.check(valuesOf(members));
  for (const mismatch of wrong) if (mismatch.unknown) tellUnknown(mismatch, { node, members }, report);
  const others = wrong.filter((one) => !one.unknown && !isMisspelt(one, members));
  tellWrong(others, { subject: "hook", node, members }, report);
  const isSound = !wrong.some((one) => !one.unknown || nearestOf(one) !== undefined);
  return {
    node,
    members,
    match: wrong.some(({ path: [field] }) => field === "match") ? {} : (valuesOf(members).match ?? {}),
    events: readEvents(members.get("event_type")?.value, report),
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

/** A field that is missing because its name is misspelt was told of there. */
const isMisspelt = ({ path, found }: Mismatch, members: Members): boolean =>
  found === "nothing" &&
  path.length === 1 &&
  [...members.keys()].some((key) => !fieldNames.includes(key) && nearest(key, fieldNames) === path[0]);

/** A word that may be a misspelt field changes what the hook does; any other is a remark of its author's. */
function tellUnknown(
  mismatch: Mismatch,
  { node, members }: Pick<ReadEntry, "node" | "members">,
  report: RuleReport,
): void {
  const { path, known = [] } = mismatch;
  const name = path.join(".");
  if (name.startsWith("x-")) return;
  const [outer, inner] = path;
  const member = members.get(String(outer));
  const at = inner === undefined ? member?.at : membersOf(member?.value).find(({ key }) => key === inner)?.at;
  const near = didYouMean(String(path.at(-1)), known);
  report(at ?? node.offset, {
    severity: near ? "error" : "warning",
    code: "unknown-field",
    message: near ? `a hook has no "${name}"` : `nothing reads "${name}"`,
    suggestion: near ?? `known: ${known.join(", ")}`,
  });
}

const noEvents = (): Events => ({ written: [], events: [], meant: [] });

/** The events of specification 001, for suggestions. */
const own = ["UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStart", "SessionEnd", "SessionStop"];
const writable: readonly string[] = [...new Set([...own, ...eventNames])];
const mostSuggested = 3;

function readEvents(node: Node | undefined, report: RuleReport): Events {
  const found = noEvents();
  const nodes = node?.type === "array" ? (node.children ?? []) : node ? [node] : [];
  for (const { value, offset } of nodes) {
    if (typeof value !== "string" || value.trim() === "") continue; // told by the schema
    const written = value.trim();
    found.written.push(written);
    const events = resolveEvent(written);
    if (events) found.events.push(...events.filter((event) => !found.events.includes(event)));
    else tellUnknownEvent(written, offset, found, report);
  }
  return found;
}

function tellUnknownEvent(written: string, offset: number, found: Events, report: RuleReport): void {
  const near = nearestFew(written, writable, mostSuggested);
  const meant = near.slice(0, 1).flatMap((name) => resolveEvent(name) ?? []);
  found.meant.push(...meant);
  const asked = near.length > 0 ? `did you mean ${near.map((name) => `"${name}"`).join(" or ")}?` : undefined;
  report(offset, {
    severity: "error",
    code: "unknown-event",
    message: `no event is called "${written}"`,
    suggestion: asked ?? `known: ${own.join(", ")}, the names of docs/events.md, and names with a dot`,
  });
}
