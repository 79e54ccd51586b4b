/** The fields of one rule and its events, checked by the table; each mistake is told of where it stands. */
import type { EventName } from "../../engine/event.ts";
import { nearest } from "../../engine/nearest.ts";
import { kindOf } from "../../engine/schema.ts";
import type { Member, Node } from "../reading/json-tree.ts";
import type { RuleReport } from "../reading/yaml-nodes.ts";
import { jsonOf, membersOf } from "../reading/yaml-values.ts";
import { defaultEvent, readEvent, ruleEventNames } from "./events.ts";
import { isRuleField, type RuleFieldName, ruleFieldNames, ruleFields } from "./fields.ts";

export type Fields = ReadonlyMap<RuleFieldName, Member>;

export function readFields(node: Node, report: RuleReport): Fields {
  const fields = new Map<RuleFieldName, Member>();
  if (node.type !== "object") {
    report(node.offset, {
      severity: "error",
      code: "wrong-type",
      message: `a rule is a map with id, on, condition and action, not ${kindOf(jsonOf(node))}`,
      suggestion: "write - id: name, and the rest below it",
    });
    return fields;
  }
  const meant = new Set<string>();
  /** What an invalid guard is judged by, under a name that was most likely meant. */
  const near = new Map<RuleFieldName, Member>();
  for (const member of membersOf(node)) {
    if (isRuleField(member.key)) fields.set(member.key, member);
    else if (member.key === "event" && !membersOf(node).some(({ key }) => key === "on")) fields.set("on", member);
    else {
      const name = unknownField(member, report);
      meant.add(name);
      if ((name === "on" || name === "action") && !near.has(name)) near.set(name, member);
    }
  }
  for (const name of ["id", "condition", "action"] as const) {
    const isMissing = !fields.has(name) || fields.get(name)?.value.type === "null";
    if (isMissing && !meant.has(name)) missing(name, node, fields, report);
  }
  for (const [name, member] of near) if (!fields.has(name)) fields.set(name, member);
  for (const [name, member] of fields) checkField(name, member, report);
  return fields;
}

/** Words of other formats for a rule's fields. */
const elsewhere: { readonly [field: string]: RuleFieldName } = {
  event: "on",
  events: "on",
  trigger: "on",
  when: "condition",
  if: "condition",
  conditions: "condition",
  matcher: "condition",
  actions: "action",
  do: "action",
  run: "action",
  name: "id",
};

/** Gives the field that was meant, or nothing. */
function unknownField({ key, at }: Member, report: RuleReport): string {
  const other = Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;
  const near = nearest(key, ruleFieldNames);
  const known = near ? `did you mean "${near}"?` : `known: ${ruleFieldNames.join(", ")}`;
  const suggestion = other ? `write "${other}"` : known;
  report(at, { severity: "error", code: "unknown-field", message: `a rule has no "${key}"`, suggestion });
  return other ?? near ?? "";
}

const examples = {
  id: "id: a_name_of_its_own",
  condition: "condition: { type: always }",
  action: "action: { type: log, message: … }",
} as const;

function missing(name: keyof typeof examples, node: Node, fields: Fields, report: RuleReport): void {
  report(fields.get(name)?.at ?? node.offset, {
    severity: "error",
    code: "missing-field",
    message: `a rule needs "${name}"`,
    suggestion: `write ${examples[name]}`,
  });
}

/** YAML has words for numbers that JSON has not. */
export const isEndless = (word: string): boolean => /^[-+]?\.(inf|nan)$/i.test(word);

const yesAndNo: { readonly [word: string]: boolean } = { yes: true, on: true, no: false, off: false };

function checkField(name: RuleFieldName, { value }: Member, report: RuleReport): void {
  if (value.type === "null" && ruleFields[name].required) return; // told as missing
  const json = jsonOf(value);
  const [wrong] = ruleFields[name].schema.check(json);
  if (!wrong) return;
  const place = wrong.path.length === 0 ? value : (value.children?.[Number(wrong.path[0])] ?? value);
  if (typeof json === "string" && isEndless(json)) {
    const message = `"${name}" needs ${wrong.expected}, which has to be finite, but is ${json}`;
    report(place.offset, { severity: "error", code: "wrong-type", message, suggestion: "write a finite number" });
    return;
  }
  const word = typeof json === "string" && Object.hasOwn(yesAndNo, json) ? `write ${yesAndNo[json]}` : undefined;
  const number = typeof json === "string" && /^\d+(\.\d+)?\s*[a-z]*$/.test(json) ? `write ${parseFloat(json)}` : word;
  const suggestion = name === "tags" && typeof json === "string" ? `write [${json}]` : number;
  const message = `"${name}" needs ${wrong.expected} but is ${value.type === "null" ? "empty" : wrong.found}`;
  report(place.offset, { severity: "error", code: "wrong-type", message, ...(suggestion ? { suggestion } : {}) });
}

/** Of a field that was checked; a wrong one has been told of. */
export function fieldOf<T extends string | number | boolean>(fields: Fields, name: RuleFieldName, otherwise: T): T {
  const value: unknown = fields.get(name)?.value.value;
  return typeof value === typeof otherwise ? (value as T) : otherwise; // of the same type, and T is that type's
}

export interface Events {
  written: string[];
  events: EventName[];
  /** Where names stand that nothing is called, what was most likely meant. */
  meant: EventName[];
}

export function readEvents(fields: Fields, report: RuleReport): Events {
  const on = fields.get("on")?.value;
  const nodes = on?.type === "array" ? (on.children ?? []) : on ? [on] : [];
  const names = nodes.filter(({ value }) => typeof value === "string" && value.trim() !== "");
  const found: Events = { written: [], events: [], meant: [] };
  if (!on) return { written: [defaultEvent], events: resolved(defaultEvent), meant: [] };
  if (on.type === "array" && nodes.length === 0) {
    const message = '"on" is an empty list, so the rule never runs';
    report(on.offset, { severity: "error", code: "wrong-type", message, suggestion: `write one of ${valid}` });
  }
  for (const { value, offset } of names) {
    const written = String(value).trim();
    const read = readEvent(written);
    found.written.push(written);
    if (Array.isArray(read)) found.events.push(...read.filter((event) => !found.events.includes(event)));
    else {
      const { message, suggestion, meant } = read;
      found.meant.push(...meant);
      report(offset, { severity: "error", code: "unknown-event", message, suggestion });
    }
  }
  return found;
}

const valid = ruleEventNames.join(", ");

export function resolved(name: string): EventName[] {
  const read = readEvent(name);
  return Array.isArray(read) ? read : [];
}
