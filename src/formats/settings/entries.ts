/** The many shapes in which people write settings hooks, made one: a flat list of entries with the place of each field. */

import type { EventName } from "../../engine/event.ts";
import { nearest } from "../../engine/nearest.ts";
import { type Member, membersOf, type Node, type Report } from "../reading/tree.ts";
import { eventLists, eventOf } from "./event-lists.ts";
import { type Field, fieldsOf, shape } from "./fields.ts";
import { type ListedVerdict, listedIn, listedInFile, verdictLists } from "./verdict-lists.ts";

/** What is particular to the settings files of one tool. Handed in: a format knows no agent. */
export interface SettingsFormat {
  /** Names the format: unlike the family, a plugin's differs from its tool's. */
  name: string;
  /** The tool whose files they are, and whose switches reach them. */
  family: string;
  /** Nothing but Hookline reads them: what it does not know is an error. */
  isOurs?: true;
  /** The tool, in words, that ignores an entry without a `hooks` list of its own. */
  ignoresFlat?: string;
  /** Events may stand without "hooks" around them. */
  bareEvents?: true;
  /** Its manifests name files of hooks, or hold hooks, or a list of both. */
  ofPlugin?: true;
  /** The tools that its matchers may name. Absent: the canonical ones. */
  tools?: readonly string[];
  /** The events that the tool waits for. Absent: all that it can. */
  waitsFor?: ReadonlySet<string>;
  /** A nearer file replaces the user's hooks event by event (R29). */
  overrides?: true;
  /** The tool's own names of events, where these are not ours. */
  eventNames?: Readonly<Record<string, EventName>>;
  /** Whose variables programs get beside those that every program gets. */
  variables?: string;
}

/** One handler of one event, with the fields of its group under its own. */
export interface Entry {
  /** The event's name as its author wrote it. */
  written: string;
  events: EventName[];
  /** Offset of the handler. */
  at: number;
  fields: ReadonlyMap<string, Field>;
  /** Of the group and of the handler itself: both must fit. */
  matchers: readonly Field[];
  /** Why it cannot be a hook: nothing is called as its event, or as the list that it stands in. */
  fault?: string;
  /** It stands in a list of what is denied or asked about, and runs nothing. */
  verdict?: ListedVerdict;
}
export interface Written {
  entries: Entry[];
  /** Every event that the file speaks of, also with an empty list (R29). */
  speaksOf: EventName[];
}

/** All entries of a file; what is no entry becomes a finding. */
export function readEntries(root: Node | undefined, format: SettingsFormat, report: Report): Written {
  const written: Written = { entries: [], speaksOf: [] };
  for (const { event, at, value, isStrange } of eventLists(root, format, report)) {
    const own = format.eventNames && Object.hasOwn(format.eventNames, event) ? format.eventNames[event] : undefined;
    const { events, fault } =
      own === undefined ? eventOf(event, at, report, format.isOurs === true) : { events: [own], fault: undefined };
    if (fault === undefined) written.speaksOf.push(...events);
    for (const group of listOf(value, event, fault === undefined ? report : silent))
      for (const one of entriesOf(
        group,
        { written: event, events, format, ...(isStrange ? {} : { ignoresFlat: format.ignoresFlat }) },
        fault === undefined ? report : silent,
      ))
        written.entries.push(fault === undefined ? one : { ...one, fault });
  }
  if (format.isOurs) written.entries.push(...listedInFile(root, format, report));
  return written;
}

/** Under an unknown name only the name is reported. */
const silent: Report = () => {};

function listOf(value: Node, event: string, report: Report): Node[] {
  if (value.type === "array") return value.children ?? [];
  if (value.type === "object") {
    if (value.parent?.type === "property") {
      report(value.offset, {
        severity: "warning",
        code: "shape",
        message: `"${event}" holds an object; Hookline reads it as a list of one, agents may not`,
        suggestion: `write "${event}": [ … ]`,
      });
    }
    return [value];
  }
  shape(
    report,
    value.offset,
    `"${event}" needs a list`,
    `"${event}": [{ "hooks": [{ "type": "command", "command": … }] }]`,
  );
  return [];
}

interface Under {
  written: string;
  events: EventName[];
  format: SettingsFormat;
  /** The tool that ignores flat entries; undefined: nothing is said of one. */
  ignoresFlat?: string | undefined;
}

function entriesOf(group: Node, { written, events, format, ignoresFlat }: Under, report: Report): Entry[] {
  if (group.type !== "object") {
    const advice = `{ "hooks": [{ "type": "command", "command": ${JSON.stringify(group.value ?? "…")} }] }`;
    shape(report, group.offset, `an entry of "${written}" is an object`, advice);
    return [];
  }
  const members = membersOf(group);
  const list = members.find(({ key }) => key === "hooks") ?? misspeltList(members, report);
  const { lists, others } = verdictLists(members, format);
  const around = fieldsOf(others, true);
  const listed = listedIn(lists, { written, events, around, hasHooks: list !== undefined, format }, report);
  if (!list && lists.length > 0) return listed;
  if (!list) {
    if (ignoresFlat !== undefined) {
      const message = `an entry of "${written}" has no "hooks" list: Hookline reads it, ${ignoresFlat} ignores it in silence`;
      const suggestion = '{ "hooks": [{ "type": "command", "command": … }] }';
      report(group.offset, { severity: "warning", code: "shape", message, suggestion: `write ${suggestion}` });
    }
    return [entry(group, written, events, [fieldsOf(members, false)])];
  }
  const { key, value: hooks } = list;
  const handlers = hooks.type === "array" ? (hooks.children ?? []) : [hooks];
  const own = handlers.flatMap((handler) => {
    if (handler.type === "object") {
      const made = entry(handler, written, events, [around, fieldsOf(membersOf(handler), false)]);
      return [key === "hooks" ? made : { ...made, fault: `nothing reads "${key}", in which it stands` }];
    }
    shape(report, handler.offset, "a handler is an object", '{ "type": "command", "command": … }');
    return [];
  });
  return [...own, ...listed];
}

/** A list of handlers under a name like "hooks": none of them runs, and guards among them must not be lost (R46). */
function misspeltList(members: readonly Member[], report: Report): Member | undefined {
  const list = members.find(
    ({ key, value }) =>
      value.type === "array" &&
      value.children?.some(({ type }) => type === "object") &&
      nearest(key, ["hooks"]) !== undefined,
  );
  if (list) shape(report, list.at, `nothing reads "${list.key}"`, '"hooks": [ … ]');
  return list;
}

function entry(node: Node, written: string, events: EventName[], levels: Map<string, Field>[]): Entry {
  const matchers = levels.flatMap((level) => level.get("matcher") ?? []);
  return { written, events, at: node.offset, matchers, fields: new Map(levels.flatMap((level) => [...level])) };
}
