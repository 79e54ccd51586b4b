/** The lists of a settings file's events, wherever people write them, and what the name of each means. */
import type { EventName } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { didYouMean, nearest } from "../../engine/nearest.ts";
import { type Member, membersOf, type Node, type Report } from "../reading/tree.ts";
import type { SettingsFormat } from "./entries.ts";
import { isComment, shape } from "./fields.ts";
import { isVerdict } from "./verdict-lists.ts";

export interface EventList {
  /** Its shape is no agent's, which is reported. */
  isStrange?: true;
  event: string;
  at: number;
  value: Node;
}

export function eventLists(root: Node | undefined, format: SettingsFormat, report: Report): EventList[] {
  if (!root) return [];
  if (root.type !== "object") {
    lost(report, root.offset, "a settings file is one JSON object", '{ "hooks": { "PreToolUse": [ … ] } }');
    return [];
  }
  const members = membersOf(root);
  const hooks = members.filter(({ key }) => key === "hooks");
  return hooks.length > 0
    ? hooks.flatMap(({ value }) => hooksOf(value, format, report))
    : eventsOutside(members, format, report);
}

function hooksOf(value: Node, format: SettingsFormat, report: Report): EventList[] {
  if (value.type === "array") return eventsInArray(value, format, report);
  if (value.type === "object") {
    const inner = membersOf(value).find((member) => member.key === "hooks" && member.value.type === "object");
    if (inner) return hooksOf(inner.value, format, report); // a plugin's manifest holds its hook file's content
    const events = membersOf(value).filter(({ key }) => !isComment(key) && !(format.isOurs && isVerdict(key)));
    return events.map(({ key, at, value: list }) => ({ event: key, at, value: list }));
  }
  lost(report, value.offset, '"hooks" holds one list for each event', '"hooks": { "PreToolUse": [ … ] }');
  return [];
}

/** `"hooks": [{ "event": …, … }]`: one agent refuses it in silence, so it is read and spoken of. */
function eventsInArray(list: Node, format: SettingsFormat, report: Report): EventList[] {
  return (list.children ?? []).flatMap((item): EventList[] => {
    if (format.ofPlugin && item.type === "string") return []; // a file's name, which loading follows
    const event = membersOf(item).find(({ key }) => key === "event");
    if (
      event === undefined &&
      format.ofPlugin &&
      membersOf(item).some(({ key, value }) => key === "hooks" || isEventList(key, value))
    )
      return hooksOf(item, format, report);
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

/** @param isOurs nothing but Hookline reads the file: no agent can have more events than are known here */
export function eventOf(written: string, at: number, report: Report, isOurs: boolean): NamedEvents {
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
  if (advice === undefined && !isOurs && /^[A-Z][A-Za-z]+$/.test(written)) {
    report(at, {
      severity: "warning",
      code: "unknown-event",
      message: `this Hookline knows no event "${written}": if the agent has it, it is newer than this Hookline`,
      suggestion: "the agent runs its hooks itself; install a newer Hookline",
    });
    return { events: [], fault };
  }
  report(at, {
    severity: "error",
    code: "unknown-event",
    message: `${fault}, so its hooks never run`,
    suggestion: advice ?? "application events hold a dot, such as deploy.started",
  });
  return { events: resolveEvent(nearest(written, eventNames) ?? "") ?? [], fault };
}

/** Hooks may stand in there that nothing reads. */
const lost = (report: Report, at: number, message: string, example: string): void =>
  report(at, { severity: "error", code: "shape", message, suggestion: `write ${example}`, loses: true });
