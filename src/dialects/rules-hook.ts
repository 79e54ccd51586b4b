/** One rule becomes one Hook, or findings that say why not; an invalid guard becomes a hook that fails (R33, R46). */
import type { Condition, Hook, Origin } from "../core/hook.ts";
import type { Patterns, Registry } from "../core/ports.ts";
import type { Member, Node } from "./json-tree.ts";
import { meansGuard, type ReadActions, readActions } from "./rules-actions.ts";
import { readCondition } from "./rules-conditions.ts";
import { fieldOf, readEvents, readFields, resolved } from "./rules-entry.ts";
import { defaultPriority, defaultTimeout } from "./rules-fields.ts";
import { invalidGuard, readsAsGuard, type Written } from "./rules-guard.ts";
import type { YamlFile } from "./yaml-file.ts";
import type { RuleReport } from "./yaml-nodes.ts";
import { jsonOf } from "./yaml-values.ts";

export interface RuleContext {
  file: YamlFile;
  registry: Registry;
  patterns: Patterns;
  modules?: ReadonlySet<string>;
  sendable?: ReadonlySet<string>;
  tools?: readonly string[];
  /** Of whose rules these are: the agent, where they are one agent's. */
  agent?: string;
  /** Why none of these rules can be in force, if so. */
  fault?: string;
  /** Nothing reads them for a fault around them, which was told: only their guards are looked for. */
  isLost?: boolean;
  /** A rule's id in the engine; the file's other rules have a say in it. */
  idOf(written: string, node: Node): string;
}
const isThere = (member: Member | undefined): member is Member => member !== undefined && member.value.type !== "null";

/** What is told of a broken text is that it is broken: what was left of it says little. */
const silent: RuleReport = () => {};

export function compileRule(node: Node, context: RuleContext): Hook | undefined {
  const { file, registry } = context;
  const faults: string[] = context.fault === undefined ? [] : [context.fault];
  const tell: RuleReport = (offset, finding) => {
    if (finding.severity === "error") faults.push(finding.message);
    file.report(offset, finding);
  };
  const isBroken = file.isFaulty(node);
  if (isBroken) faults.push("its text has an error");
  const report = isBroken || context.isLost ? silent : tell;
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
  const isGuard =
    meansGuard(action?.value, registry) || ((isBroken || !isThere(action)) && readsAsGuard(node, file, registry));
  return isGuard
    ? invalidGuard(
        written,
        { reason: fault ?? "it has no action", isBroken: isBroken || node.type !== "object" },
        context,
      )
    : undefined;
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
