/** The lists `deny` and `ask` of our own hook files: what is refused or asked about without a program. Each entry with its fields and place. */
import type { EventName } from "../../engine/event.ts";
import { rowOf, verdictsOf } from "../../engine/events.ts";
import { nearest } from "../../engine/nearest.ts";
import { type Member, membersOf, type Node, type Report } from "../reading/tree.ts";
import type { Entry, SettingsFormat } from "./entries.ts";
import { type Field, fieldsOf, isComment, shape } from "./fields.ts";

export const listedVerdicts = ["deny", "ask"] as const;
export type ListedVerdict = (typeof listedVerdicts)[number];

/** What an entry may say, and its group for it. */
export const listedKeys: readonly string[] =
  "if not reason suggestion id name description enabled report priority tags matcher".split(" ");

/** Where the lists stand without an event around them. */
const usualEvent = "PreToolUse";

/** Whether this is such a list, also where its name is misspelt: guards in it must not be lost (R46). */
export const isVerdictList = ({ key, value }: Pick<Member, "key" | "value">): boolean =>
  isVerdict(key) || (value.type === "array" && meantBy(key) !== undefined);

export const isVerdict = (key: string): key is ListedVerdict => listedVerdicts.some((one) => one === key);

/** What a key means by itself or, misspelt, most likely. */
export const meantBy = (key: string): ListedVerdict | undefined =>
  isComment(key) ? undefined : listedVerdicts.find((one) => one === nearest(key, listedVerdicts));

/** The lists of a group, and all else in it. */
export function verdictLists(
  members: readonly Member[],
  { isOurs }: SettingsFormat,
): { lists: Member[]; others: Member[] } {
  const lists = members.filter((one) =>
    isOurs ? isVerdictList(one) : isVerdict(one.key) && one.value.type === "array",
  );
  return { lists, others: members.filter((one) => !lists.includes(one)) };
}

interface Around {
  /** The event's name as its author wrote it. */
  written: string;
  events: readonly EventName[];
  /** Of the group. */
  around: ReadonlyMap<string, Field>;
  /** The group has handlers, which its other fields are for. */
  hasHooks: boolean;
  format: SettingsFormat;
}

/** The entries of these lists; in other tools' files there are none, which is reported. */
export function listedIn(lists: readonly Member[], group: Around, report: Report): Entry[] {
  return lists.flatMap((list) => (group.format.isOurs ? entriesOf(list, group, report) : notOurs(list, report)));
}

/** Those that stand at the top of the file; those inside "hooks" are in no group, where nothing reads them. */
export function listedInFile(root: Node | undefined, format: SettingsFormat, report: Report): Entry[] {
  const members = membersOf(root);
  const group: Around = { written: usualEvent, events: [usualEvent], around: new Map(), hasHooks: false, format };
  const inside = members
    .filter(({ key }) => key === "hooks")
    .flatMap(({ value }) => membersOf(value).filter(({ key }) => isVerdict(key)));
  return [
    ...listedIn(members.filter(isVerdictList), group, report),
    ...inside.flatMap((list) => {
      shape(report, list.at, `nothing reads "${list.key}" inside "hooks"`, `it beside "hooks"`);
      return withFault(entriesOf(list, group, silent), `nothing reads "${list.key}" inside "hooks", where it stands`);
    }),
  ];
}

const silent: Report = () => {};

const withFault = (entries: readonly Entry[], fault: string): Entry[] => entries.map((entry) => ({ ...entry, fault }));

function notOurs({ key, at }: Member, report: Report): [] {
  report(at, {
    severity: "warning",
    code: "ignored-field",
    message: `"${key}" is read in Hookline's own hook files alone`,
    suggestion: "move it to .hookline/hooks.json",
  });
  return [];
}

function entriesOf(list: Member, group: Around, report: Report): Entry[] {
  const verdict = meantBy(list.key) ?? "deny";
  if (list.key !== verdict) {
    shape(report, list.at, `nothing reads "${list.key}"`, `"${verdict}": [ … ]`);
    const fault = `nothing reads "${list.key}", in which it stands`;
    return withFault(entriesOf({ ...list, key: verdict }, group, silent), fault);
  }
  const decided = group.events.filter(decidesCalls);
  if (decided.length === 0) {
    const fault = `no call is decided on ${group.written}, so "${verdict}" says nothing there`;
    shape(report, list.at, fault, `it under "${usualEvent}"`);
    return withFault(entriesOf(list, { ...group, events: [usualEvent] }, silent), fault);
  }
  const events = decided.filter((event) => verdictsOf(rowOf(event)).includes(verdict));
  if (events.length > 0)
    return itemsOf(list, verdict, report).map((item) => entry(item, verdict, { ...group, events }, report));
  report(list.at, {
    severity: "warning",
    code: "ignored-field",
    message: `"${verdict}" has no effect on ${group.written}: the agent asks a person there already`,
    suggestion: `write it under "${usualEvent}"`,
  });
  return [];
}

/** On the others a call has happened, or there is none. */
export function decidesCalls(event: EventName): boolean {
  const row = rowOf(event);
  return row.matchTool === true && verdictsOf(row).includes("allow");
}

function itemsOf({ at, value }: Member, verdict: ListedVerdict, report: Report): Node[] {
  const items = value.type === "array" ? (value.children ?? []) : [value];
  const isNothing = items.length === 0 || (value.type !== "array" && (value.value === null || value.value === false));
  const example = `"${verdict}": ["Bash(git push --force *)"]`;
  if (isNothing) {
    const message = `"${verdict}" is empty, so nothing is ${verdict === "deny" ? "denied" : "asked about"}`;
    report(at, { severity: "warning", code: "shape", message, suggestion: `write ${example}, or remove it` });
    return [];
  }
  if (value.type !== "array") {
    const message = `"${verdict}" holds no list; Hookline reads it as a list of one`;
    report(value.offset, { severity: "warning", code: "shape", message, suggestion: `write ${example}` });
  }
  return items;
}

function entry(
  item: Node,
  verdict: ListedVerdict,
  { written, events, around, hasHooks }: Around,
  report: Report,
): Entry {
  const ofGroup = [...around].filter(([key]) => !hasHooks || listedKeys.includes(key));
  const isPattern = item.type === "string";
  const own: ReadonlyMap<string, Field> = isPattern
    ? new Map([["if", { value: String(item.value), at: item.offset, ofGroup: false }]])
    : fieldsOf(membersOf(item), false);
  const matchers = [around, own].flatMap((level) => level.get("matcher") ?? []);
  const fields = new Map([...ofGroup, ...own]);
  const made: Entry = { written, events: [...events], at: item.offset, matchers, fields, verdict };
  if (isPattern || item.type === "object") return made;
  const fault = `an entry of "${verdict}" is a pattern or an object`;
  shape(report, item.offset, fault, '"Bash(git push --force *)" or { "if": … }');
  return { ...made, fault };
}
