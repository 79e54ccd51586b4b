/** The many shapes in which people write settings hooks, made one: a flat list of entries with the place of each field. */

import type { EventName, Json } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import { jsonOf, type Member, membersOf, type Node, type Report } from "../reading/tree.ts";

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
  /** The tools that its matchers may name. Absent: the canonical ones. */
  tools?: readonly string[];
  /** The events that the tool waits for. Absent: all that it can. */
  waitsFor?: ReadonlySet<string>;
  /** A nearer file replaces the user's hooks event by event (R29). */
  overrides?: true;
  /** Whose variables programs get beside those that every program gets. */
  variables?: string;
}

export interface Field {
  value: Json;
  /** Offset of its key. */
  at: number;
  /** Written around the handler, for all handlers of its group. */
  ofGroup: boolean;
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
}
export interface Written {
  entries: Entry[];
  /** Every event that the file speaks of, also with an empty list (R29). */
  speaksOf: EventName[];
}

export const isComment = (key: string): boolean => /^(\/\/|[_$#])/.test(key) || key === "comment" || key === "comments";

/** All entries of a file; what is no entry becomes a finding. */
export function readEntries(root: Node | undefined, format: SettingsFormat, report: Report): Written {
  const written: Written = { entries: [], speaksOf: [] };
  for (const { event, at, value, isStrange } of eventLists(root, format, report)) {
    const { events, fault } = eventOf(event, at, report);
    if (fault === undefined) written.speaksOf.push(...events);
    for (const group of listOf(value, event, fault === undefined ? report : silent))
      for (const one of entriesOf(
        group,
        { written: event, events, ignoresFlat: isStrange ? undefined : format.ignoresFlat },
        fault === undefined ? report : silent,
      ))
        written.entries.push(fault === undefined ? one : { ...one, fault });
  }
  return written;
}

/** Under an unknown name only the name is reported. */
const silent: Report = () => {};

interface EventList {
  /** Its shape is no agent's, which is reported. */
  isStrange?: true;
  event: string;
  at: number;
  value: Node;
}

function eventLists(root: Node | undefined, format: SettingsFormat, report: Report): EventList[] {
  if (!root) return [];
  if (root.type !== "object") {
    lost(report, root.offset, "a settings file is one JSON object", '{ "hooks": { "PreToolUse": [ … ] } }');
    return [];
  }
  const members = membersOf(root);
  const hooks = members.filter(({ key }) => key === "hooks");
  return hooks.length > 0
    ? hooks.flatMap(({ value }) => hooksOf(value, report))
    : eventsOutside(members, format, report);
}

function hooksOf(value: Node, report: Report): EventList[] {
  if (value.type === "array") return eventsInArray(value, report);
  if (value.type === "object") {
    const inner = membersOf(value).find((member) => member.key === "hooks" && member.value.type === "object");
    if (inner) return hooksOf(inner.value, report); // a plugin's manifest holds its hook file's content
    const events = membersOf(value).filter(({ key }) => !isComment(key));
    return events.map(({ key, at, value: list }) => ({ event: key, at, value: list }));
  }
  lost(report, value.offset, '"hooks" holds one list for each event', '"hooks": { "PreToolUse": [ … ] }');
  return [];
}

/** `"hooks": [{ "event": …, … }]`: one agent refuses it in silence, so it is read and spoken of. */
function eventsInArray(list: Node, report: Report): EventList[] {
  return (list.children ?? []).flatMap((item): EventList[] => {
    const event = membersOf(item).find(({ key }) => key === "event");
    if (event?.value.type !== "string") {
      shape(report, item.offset, 'an entry of a "hooks" list needs an "event"', '"hooks": { "PreToolUse": [ … ] }');
      return [];
    }
    const name = String(event.value.value);
    report(item.offset, {
      severity: "warning",
      code: "shape",
      message: `"hooks" is a list here; Hookline reads it, agents ignore it in silence`,
      suggestion: `write "hooks": { "${name}": [ … ] }`,
    });
    return [{ event: name, at: event.at, value: item, isStrange: true }];
  });
}

/** Events without `hooks` around them are read from files that hold nothing but hooks. */
function eventsOutside(members: readonly Member[], format: SettingsFormat, report: Report): EventList[] {
  const lists = members.filter(({ key, value }) => isEventList(key, value));
  if (format.bareEvents) return lists.map(({ key, at, value }) => ({ event: key, at, value }));
  for (const { key, at } of lists) {
    report(at, {
      severity: "warning",
      code: "shape",
      message: `"${key}" is outside "hooks", where nothing reads it`,
      suggestion: `move it: "hooks": { "${key}": [ … ] }`,
    });
  }
  return [];
}

/** Other agents begin the same names with a small letter. */
const spelling = (written: string): EventName[] | undefined =>
  resolveEvent(written) ?? resolveEvent(written.charAt(0).toUpperCase() + written.slice(1));

/** Whether a key beside or in place of "hooks" is an agent's event with its entries. */
export const isEventList = (key: string, value: Node): boolean =>
  value.type === "array" && spelling(key) !== undefined && !key.includes(".");

/** What to write for events that other agents have under a name and meaning of their own. */
const elsewhere: Readonly<Record<string, string>> = {
  beforeShellExecution: '"PreToolUse" with "matcher": "Bash"',
  afterShellExecution: '"PostToolUse" with "matcher": "Bash"',
  beforeMCPExecution: '"PreToolUse" with "matcher": "mcp__.*"',
  afterMCPExecution: '"PostToolUse" with "matcher": "mcp__.*"',
  beforeReadFile: '"PreToolUse" with "matcher": "Read"',
  afterFileEdit: '"PostToolUse" with "matcher": "Write|Edit"',
  beforeSubmitPrompt: '"UserPromptSubmit"',
  BeforeTool: '"PreToolUse"',
  AfterTool: '"PostToolUse"',
  BeforeAgent: '"UserPromptSubmit"',
  AfterAgent: '"Stop"',
  PreCompress: '"PreCompact"',
  userPromptSubmitted: '"UserPromptSubmit"',
  agentStop: '"Stop"',
  errorOccurred: '"StopFailure"',
};

interface NamedEvents {
  /** Where nothing is called so, what was most likely meant: guards under the name fail there (R46). */
  events: EventName[];
  fault?: string;
}

function eventOf(written: string, at: number, report: Report): NamedEvents {
  const exact = resolveEvent(written);
  if (exact) return { events: exact };
  const events = spelling(written);
  if (events) {
    report(at, {
      severity: "note",
      code: "unknown-event",
      message: `"${written}" is read as ${events.join(" and ")}; agents that read this file may not know it`,
    });
    return { events };
  }
  const advice = Object.hasOwn(elsewhere, written) ? `write ${elsewhere[written]}` : didYouMean(written, eventNames);
  const fault = `no event is called "${written}"`;
  report(at, {
    severity: "error",
    code: "unknown-event",
    message: `${fault}, so its hooks never run`,
    suggestion: advice ?? "application events hold a dot, such as deploy.started",
  });
  return { events: resolveEvent(nearest(written, eventNames) ?? "") ?? [], fault };
}

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
  /** The tool that ignores flat entries; undefined: nothing is said of one. */
  ignoresFlat: string | undefined;
}

function entriesOf(group: Node, { written, events, ignoresFlat }: Under, report: Report): Entry[] {
  if (group.type !== "object") {
    const advice = `{ "hooks": [{ "type": "command", "command": ${JSON.stringify(group.value ?? "…")} }] }`;
    shape(report, group.offset, `an entry of "${written}" is an object`, advice);
    return [];
  }
  const members = membersOf(group);
  const list = members.find(({ key }) => key === "hooks") ?? misspeltList(members, report);
  const around = fieldsOf(members, true);
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
  return handlers.flatMap((handler) => {
    if (handler.type === "object") {
      const made = entry(handler, written, events, [around, fieldsOf(membersOf(handler), false)]);
      return [key === "hooks" ? made : { ...made, fault: `nothing reads "${key}", in which it stands` }];
    }
    shape(report, handler.offset, "a handler is an object", '{ "type": "command", "command": … }');
    return [];
  });
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

/** These belong to the list around the handlers. */
const structure: ReadonlySet<string> = new Set(["hooks", "event"]);

function fieldsOf(members: readonly Member[], ofGroup: boolean): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const { key, at, value } of members) {
    if (!structure.has(key) && !isComment(key)) fields.set(key, { value: jsonOf(value), at, ofGroup });
  }
  return fields;
}

const shape = (report: Report, at: number, message: string, example: string): void =>
  report(at, { severity: "error", code: "shape", message, suggestion: `write ${example}` });

/** Hooks may stand in there that nothing reads. */
const lost = (report: Report, at: number, message: string, example: string): void =>
  report(at, { severity: "error", code: "shape", message, suggestion: `write ${example}`, loses: true });
