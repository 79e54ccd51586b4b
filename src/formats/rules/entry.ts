/** One rule becomes one Hook, or findings that say why not; an invalid guard becomes a hook that fails (R33, R46). */
import { HooklineError, messageOf } from "../../engine/error.ts";
import { resolveEvent } from "../../engine/events.ts";
import type { Condition, Hook, Origin } from "../../engine/hook.ts";
import { usualTextLimit } from "../../engine/hook-words.ts";
import { nearest } from "../../engine/nearest.ts";
import { compileToolPattern } from "../../engine/pattern.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { guardOfEntry } from "../invalid-guard.ts";
import { collectFaults, type EntryFormat, readEntry } from "../reading/entry.ts";
import { type Events, readEvents, warnOfNeverSent } from "../reading/event-names.ts";
import { jsonOf, type Member, type Node, type Report } from "../reading/tree.ts";
import type { YamlFile } from "../reading/yaml-tree.ts";
import { meansGuard, type ReadActions, readActions } from "./actions.ts";
import { readCondition } from "./conditions.ts";
import {
  defaultEvent,
  defaultPriority,
  defaultTimeout,
  isRuleField,
  type RuleFieldName,
  ruleEventNames,
  ruleFieldNames,
  ruleSchema,
} from "./fields.ts";

export type Fields = ReadonlyMap<RuleFieldName, Member>;

export function readFields(node: Node, report: Report): Fields {
  const { members } = readEntry(node, rule, report);
  const fields = new Map<RuleFieldName, Member>();
  for (const [key, member] of members) if (isRuleField(key)) fields.set(key, member);
  for (const [key, member] of members) {
    const meant = isRuleField(key) ? undefined : meantBy(key);
    if (meant !== undefined && !fields.has(meant)) fields.set(meant, member);
  }
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

/** The fields by which an invalid guard is judged, under names that were most likely meant. */
function meantBy(key: string): "on" | "action" | undefined {
  const meant = (Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined) ?? nearest(key, ruleFieldNames);
  return meant === "on" || meant === "action" ? meant : undefined;
}

const rule: EntryFormat = {
  name: "a rule",
  schema: ruleSchema,
  holds: "id, on, condition and action",
  begins: "- id: name, and the rest below it",
  aliases: { event: "on" },
  elsewhere,
  examples: {
    id: "id: a_name_of_its_own",
    condition: "condition: { type: always }",
    action: "action: { type: log, message: … }",
  },
};

/** Of a field that was checked; a wrong one has been reported. */
export function fieldOf<T extends string | number | boolean>(fields: Fields, name: RuleFieldName, otherwise: T): T {
  const value: unknown = fields.get(name)?.value.value;
  return typeof value === typeof otherwise ? (value as T) : otherwise; // of the same type, and T is that type's
}

function eventsOf(fields: Fields, report: Report): Events {
  const on = fields.get("on")?.value;
  if (!on) return { written: [defaultEvent], events: resolveEvent(defaultEvent) ?? [], meant: [] };
  return readEvents(on, { names: ruleEventNames, unknown: (name) => `Hook event '${name}' is unknown` }, report);
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
  const { faults, report } = collectFaults(node, file);
  if (context.fault !== undefined) faults.unshift(context.fault);
  const fields = readFields(node, report);
  const events = eventsOf(fields, report);
  const timeout = fields.has("timeout") ? { timeout: fieldOf(fields, "timeout", defaultTimeout) } : {};
  const inner = { ...context, text: file.text, report };
  const condition = fields.get("condition");
  const when = isThere(condition) ? readCondition(condition.value, { ...inner, events: events.written }) : undefined;
  const action = fields.get("action");
  const read = isThere(action)
    ? readActions(action.value, { ...inner, events: events.written, ...timeout })
    : undefined;
  const written: Written = {
    node,
    fields,
    events,
    when: whenOf(unlessOf(when, fields, { report, patterns: context.patterns }), context),
    origin: originOf(node, context),
  };
  const [fault] = faults;
  if (fault === undefined && read) {
    const at = fields.get("on")?.value.offset ?? node.offset;
    warnOfNeverSent(events, { sendable: context.sendable, part: "rule", at }, file.report);
    return hookOf(written, read, context);
  }
  return meansGuard(action?.value, registry) ? guardInPlace(written, fault ?? "it has no action", context) : undefined;
}

function guardInPlace({ node, fields, ...written }: Written, reason: string, { file, idOf }: RuleContext): Hook {
  return guardOfEntry(
    {
      ...written,
      role: "guard",
      onFailure: "block",
      name: fieldOf(fields, "id", ""),
      priority: fieldOf(fields, "priority", defaultPriority),
      enabled: fieldOf(fields, "enabled", true),
      ...(fieldOf(fields, "report", false) ? { report: true } : {}),
      reason,
    },
    { file, node, part: "rule", idOf: (name) => idOf(name, node) },
  );
}

/** The exceptions of a rule: a call is one only if all that it does is (an allow, R10). */
function unlessOf(
  when: Condition | undefined,
  fields: Fields,
  { report, patterns }: { report: Report; patterns: Patterns },
): Condition | undefined {
  const written = fields.get("unless")?.value;
  if (!written) return when;
  const all = (written.type === "array" ? (written.children ?? []) : [written]).filter(
    ({ value }) => typeof value === "string",
  );
  for (const { value, offset } of all) {
    try {
      compileToolPattern(String(value), patterns);
    } catch (error) {
      const reason = error instanceof HooklineError ? String(error.facts.reason) : messageOf(error);
      const suggestion = "write a tool pattern such as Bash(git push --force origin tmp-*)";
      report(offset, { severity: "error", code: "matcher-invalid", message: `unless: ${reason}`, suggestion });
    }
  }
  const except: Condition = { not: { is: "exempt", with: all.map(({ value }) => String(value)) } };
  return when ? { all: [when, except] } : except;
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
    limits: {
      ...(cooldown > 0 ? { cooldown } : {}),
      ...(maxFires > 0 ? { maxFires } : {}),
      overlap: "coalesce",
      ...(fields.has("text_limit") ? { text: fieldOf(fields, "text_limit", usualTextLimit) } : {}),
    },
    mode: background && role !== "guard" ? "async" : "sync",
    role,
    onFailure: role === "guard" ? "block" : "continue",
    ...(fieldOf(fields, "report", false) ? { report: true } : {}),
    ...(fieldOf(fields, "replaces", false) ? { replaces: true } : {}),
    priority: fieldOf(fields, "priority", defaultPriority),
    enabled: fieldOf(fields, "enabled", true),
    tags: tags ? (jsonOf(tags.value) as string[]) : [], // its schema has passed it
    origin,
  };
}
