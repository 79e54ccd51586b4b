/** One rule becomes one Hook, or findings that say why not; an invalid guard becomes a hook that fails (R33, R46). */
import type { EventName } from "../../engine/event.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Condition, Hook, Origin } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { kindOf } from "../../engine/schema.ts";
import { guardInvalid, invalidGuard } from "../invalid-guard.ts";
import { jsonOf, type Member, membersOf, type Node, type Report } from "../reading/tree.ts";
import type { YamlFile } from "../reading/yaml-tree.ts";
import { meansGuard, type ReadActions, readActions } from "./actions.ts";
import { readCondition } from "./conditions.ts";
import {
  defaultEvent,
  defaultPriority,
  defaultTimeout,
  isRuleField,
  type RuleFieldName,
  readEvent,
  ruleEventNames,
  ruleFieldNames,
  ruleFields,
} from "./fields.ts";

export type Fields = ReadonlyMap<RuleFieldName, Member>;

export function readFields(node: Node, report: Report): Fields {
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
function unknownField({ key, at }: Member, report: Report): string {
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

function missing(name: keyof typeof examples, node: Node, fields: Fields, report: Report): void {
  report(fields.get(name)?.at ?? node.offset, {
    severity: "error",
    code: "missing-field",
    message: `a rule needs "${name}"`,
    suggestion: `write ${examples[name]}`,
  });
}

/** YAML has words for numbers that JSON has not. */
const isEndless = (word: string): boolean => /^[-+]?\.(inf|nan)$/i.test(word);

const yesAndNo: { readonly [word: string]: boolean } = { yes: true, on: true, no: false, off: false };

function checkField(name: RuleFieldName, { value }: Member, report: Report): void {
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

export function readEvents(fields: Fields, report: Report): Events {
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

export interface RuleContext {
  file: YamlFile;
  registry: Registry;
  patterns: Patterns;
  modules?: ReadonlySet<string>;
  sendable?: ReadonlySet<string>;
  tools?: readonly string[];
  /** Of whose rules these are: the agent, where they are one agent's. */
  agent?: string;
  /** Why none of these rules can be active, if so. */
  fault?: string;
  /** A rule's id in the engine; the file's other rules have a say in it. */
  idOf(written: string, node: Node): string;
}
const isThere = (member: Member | undefined): member is Member => member !== undefined && member.value.type !== "null";

/** What a refused part leaves behind is no mistake of its own. */
const silent: Report = () => {};

/** What of a rule could be read. */
interface Written {
  node: Node;
  fields: Fields;
  events: Events;
  when: Condition | undefined;
  origin: Origin;
}

/** Nothing is made of a broken text, whatever is left of it: its file says so, and keeps its last good guards (R76). */
export function compileRule(node: Node, context: RuleContext): Hook | undefined {
  const { file, registry } = context;
  if (file.isBroken(node)) return undefined;
  const faults: string[] = context.fault === undefined ? [] : [context.fault];
  const isFaulty = file.isFaulty(node);
  if (isFaulty) faults.push("a part of it is refused");
  const tell: Report = (offset, finding) => {
    if (finding.severity === "error") faults.push(finding.message);
    file.report(offset, finding);
  };
  const report = isFaulty ? silent : tell;
  const fields = readFields(node, report);
  const events = readEvents(fields, report);
  const timeout = fields.has("timeout") ? { timeout: fieldOf(fields, "timeout", defaultTimeout) } : {};
  const inner = { ...context, text: file.text, report };
  const condition = fields.get("condition");
  const when = isThere(condition) ? readCondition(condition.value, inner) : undefined;
  const action = fields.get("action");
  const read = isThere(action)
    ? readActions(action.value, { ...inner, events: events.written, ...timeout })
    : undefined;
  const written: Written = { node, fields, events, when: whenOf(when, context), origin: originOf(node, context) };
  const [fault] = faults;
  if (fault === undefined && read) {
    warnOfNeverSent(written, context);
    return hookOf(written, read, context);
  }
  return meansGuard(action?.value, registry) ? guardInPlace(written, fault ?? "it has no action", context) : undefined;
}

function guardInPlace(
  { node, fields, events, when, origin }: Written,
  reason: string,
  { file, idOf }: RuleContext,
): Hook {
  const policy = { role: "guard", onFailure: "block" } as const;
  file.report(node.offset, guardInvalid({ ...policy, reason }, "rule"));
  const name = fieldOf(fields, "id", "").trim();
  const text = file.text.slice(node.offset, node.offset + node.length);
  return invalidGuard({
    ...policy,
    id: idOf(name || `invalid-${fingerprint(text).slice(0, 8)}`, node),
    name,
    events: [...events.events, ...events.meant],
    written: events.written,
    when,
    priority: fieldOf(fields, "priority", defaultPriority),
    enabled: fieldOf(fields, "enabled", true),
    reason,
    origin,
  });
}

/** always asks nothing; a rule of one agent asks first whether that agent works. */
function whenOf(condition: Condition | undefined, { agent }: RuleContext): Condition | undefined {
  const own = condition && "is" in condition && condition.is === "always" ? undefined : condition;
  if (agent === undefined) return own;
  const ofAgent: Condition = { is: "agent", with: agent };
  return own ? { all: [ofAgent, own] } : ofAgent;
}

const originOf = (node: Node, { file, agent }: RuleContext): Origin => ({
  ...file.origin,
  ...file.locate(node.offset),
  ...(agent === undefined ? {} : { ofAgent: agent }),
});

function hookOf(
  written: Written,
  { steps: [first, ...others], role, background }: ReadActions,
  { idOf }: RuleContext,
): Hook | undefined {
  if (!first) return undefined;
  const { node, fields, events, when, origin } = written;
  const cooldown = fieldOf(fields, "cooldown", 0);
  const maxFires = fieldOf(fields, "max_fires", 0);
  const id = fieldOf(fields, "id", "").trim();
  const tags = fields.get("tags");
  return {
    id: idOf(id, node),
    name: id,
    on: { event: events.events, as: events.written },
    ...(when ? { when } : {}),
    steps: [first, ...others],
    limits: { ...(cooldown > 0 ? { cooldown } : {}), ...(maxFires > 0 ? { maxFires } : {}), overlap: "coalesce" },
    mode: background && role !== "guard" ? "async" : "sync",
    role,
    onFailure: role === "guard" ? "block" : "continue",
    priority: fieldOf(fields, "priority", defaultPriority),
    enabled: fieldOf(fields, "enabled", true),
    tags: tags ? (jsonOf(tags.value) as string[]) : [], // its schema has passed it
    origin,
  };
}

/** Application events come from anywhere; an agent's own events come only from an agent that sends them. */
function warnOfNeverSent({ node, fields, events }: Written, { sendable, file }: RuleContext): void {
  if (!sendable) return;
  const never = events.written.filter((name) =>
    resolved(name).every((event) => !event.includes(".") && !sendable.has(event)),
  );
  if (never.length === 0) return;
  file.report(fields.get("on")?.value.offset ?? node.offset, {
    severity: "warning",
    code: "event-never-sent",
    message: `no agent here can send ${never.join(", ")}, so ${never.length === events.written.length ? "this rule runs only by hookline emit" : "this rule never runs on it"}`,
    suggestion: "docs/events.md describes each event",
  });
}
