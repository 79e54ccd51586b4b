/** One rule becomes one Hook, or findings that say why not; an invalid guard becomes a hook that fails (R33, R46). */
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Condition, Hook, Origin } from "../../engine/hook.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { guardInvalid, invalidGuard } from "../invalid-guard.ts";
import type { Member, Node } from "../reading/json-tree.ts";
import type { YamlFile } from "../reading/yaml-file.ts";
import type { RuleReport } from "../reading/yaml-nodes.ts";
import { jsonOf } from "../reading/yaml-values.ts";
import { meansGuard, type ReadActions, readActions } from "./actions.ts";
import { readCondition } from "./conditions.ts";
import { type Events, type Fields, fieldOf, readEvents, readFields, resolved } from "./entry.ts";
import { defaultPriority, defaultTimeout } from "./fields.ts";

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
const silent: RuleReport = () => {};

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
  const tell: RuleReport = (offset, finding) => {
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
    message: `no agent here can send ${never.join(", ")}, so ${never.length === events.written.length ? "this rule runs only by hookline emit" : "that part never comes"}`,
    suggestion: "docs/events.md says who sends what",
  });
}
