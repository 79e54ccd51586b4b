/** Actions of rules (specification 003): each becomes a step, a chain becomes the steps of its actions (R20, D58). */

import type { EventName, Fields, Seconds } from "../../engine/event.ts";
import { hears, resolveEvent, rowOf } from "../../engine/events.ts";
import type { Role, Step } from "../../engine/hook.ts";
import { nearest } from "../../engine/nearest.ts";
import type { ActionUse, Handler, Patterns, Registry } from "../../engine/ports.ts";
import { flag, type Schema, say } from "../../engine/schema.ts";
import { strangePlaceholders } from "../placeholders.ts";
import { readDurations } from "../reading/durations.ts";
import { unnamed } from "../reading/mismatches.ts";
import { jsonOf, type Member, membersOf, type Node, type Report, reportError } from "../reading/tree.ts";
import { warnOfUnknownServer } from "./conditions.ts";
import { defaultTimeout, ruleEvents } from "./fields.ts";
import { paramsOf, readTyped, reportMismatches, spreadParams, type Typed, takes } from "./parameters.ts";

export interface ActionContext {
  patterns: Patterns;
  registry: Registry;
  report: Report;
  /** The rule's events, as they were written. */
  events: readonly string[];
  /** The rule's own limit, if it has one. */
  timeout?: Seconds;
  /** Names of MCP servers and modules whose tools may be called; absent: any. */
  modules?: ReadonlySet<string>;
  /** The action is one of a chain. */
  isChained?: true;
}
export interface ReadActions {
  steps: Step[];
  role: Role;
  /** All of them run in the background. */
  background: boolean;
}
type Action = Handler & { action: ActionUse };

/** What a chain is written with; its steps are those of its actions. */
export const chain: {
  readonly name: string;
  readonly summary: string;
  readonly actions: string;
  readonly stopOnFailure: Schema<boolean>;
} = {
  name: "chain",
  summary: "Does several actions one after another; each sees what the one before it answered as {{previous}}.",
  actions: "a list of actions, done in this order",
  stopOnFailure: say(flag, "whether the rest is left out after an action that fails", true),
};

/** The actions that a rule's author may name, beside chain. */
export const authorsActions = ({ handlers }: Pick<Registry, "handlers">): [string, Action][] =>
  [...handlers].filter((entry): entry is [string, Action] => entry[1].action !== undefined && entry[0] !== chain.name);

const strength: { readonly [R in Role]: number } = { observe: 0, transform: 1, undeclared: 2, guard: 3 };

/** undefined: it is invalid, which is reported. */
export function readActions(node: Node, context: ActionContext): ReadActions | undefined {
  const read = readAction(node, "stop", context);
  if (!read) return undefined;
  const roles = read.map(({ role }) => role);
  return {
    steps: read.map(({ step }) => step),
    role: roles.reduce((left, right) => (strength[right] > strength[left] ? right : left), "observe"),
    background: read.every(({ background }) => background),
  };
}

interface ReadStep {
  step: Step;
  role: Role;
  background: boolean;
}

function readAction(node: Node, onError: Step["onError"], context: ActionContext): ReadStep[] | undefined {
  const written = readTyped(node, "action", context.report);
  if (!written) return undefined;
  if (written.type === chain.name) return readChain(written, onError, context);
  const handler = context.registry.handlers.get(written.type);
  if (!handler?.action) return unknownType(written, context);
  const step = readStep({ ...handler, action: handler.action }, written, onError, context);
  return step && [step];
}

function unknownType({ type, typeAt }: Typed, { registry, report }: ActionContext): undefined {
  const known = actionNames(registry);
  // The line behind it has become a part of its name: it may have been a guard.
  const [first = ""] = type.split(/\s/);
  return reportError(report, typeAt, {
    ...unnamed("no action is called", type, known),
    code: "unknown-action",
    ...(first !== type && known.includes(first) ? { loses: true as const } : {}),
  });
}

export const actionNames = (registry: Registry): string[] => [
  ...authorsActions(registry).map(([name]) => name),
  chain.name,
];

const chainKeys = ["actions", "stop_on_failure"];

function readChain(written: Typed, onError: Step["onError"], context: ActionContext): ReadStep[] | undefined {
  const { report } = context;
  const typed = spreadParams(written, false, report);
  if (!typed) return undefined;
  const unknown = [...typed.members.keys()].filter((key) => !chainKeys.includes(key));
  const actions = typed.members.get("actions")?.value;
  const stop = typed.members.get("stop_on_failure")?.value;
  const wrong = [
    ...unknown.map((key) => ({ path: [key], expected: "", found: key, unknown: true as const, known: chainKeys })),
    ...(stop ? chain.stopOnFailure.check(stop.value ?? null, ["stop_on_failure"]) : []),
    ...(actions?.children?.length && actions.type === "array"
      ? []
      : [{ path: ["actions"], expected: chain.actions, found: actions ? "none" : "nothing" }]),
  ];
  reportMismatches(wrong, typed, "action", report);
  const own = stop ? (stop.value === false ? "continue" : "stop") : onError;
  const inner = actions?.type === "array" ? (actions.children ?? []) : [];
  const steps = inner.map((one) => readAction(one, own, { ...context, isChained: true }));
  const valid = steps.filter((one) => one !== undefined);
  return wrong.length === 0 && valid.length === steps.length ? valid.flat() : undefined;
}

/** What the action's author wrote, else what the rule says, else what the action usually needs. */
function limitOf({ action }: Action, params: Fields, { timeout }: ActionContext): Seconds {
  const asked = typeof params.timeout === "number" && params.timeout > 0 ? params.timeout : undefined;
  const needed = action.limit?.(params);
  return asked === undefined ? (timeout ?? needed ?? defaultTimeout) : (needed ?? asked);
}

function readStep(
  handler: Action,
  written: Typed,
  onError: Step["onError"],
  context: ActionContext,
): ReadStep | undefined {
  const typed = spreadParams(written, takes(handler.params.json, "params"), context.report);
  if (!typed) return undefined;
  readDurations(typed.members.values());
  const params = paramsOf(typed);
  const shape = handler.params.check(params);
  const wrong = shape.length > 0 ? shape : (handler.inspect?.(params, context.patterns) ?? []);
  reportMismatches(wrong, typed, "action", context.report);
  if (wrong.length > 0 || hasEmptyPlaceholder(typed, context)) return undefined;
  warnOfNoEffect(handler.action, typed, context);
  warnOfUnknownServer(typed, context);
  return {
    step: {
      uses: typed.type,
      with: inChain(params, handler, onError, context),
      timeout: limitOf(handler, params, context),
      onError,
      templates: true,
    },
    role: handler.action.role(params),
    background: handler.action.background === true,
  };
}

/** A name under a known root that nothing fills makes an action that never does what it says. */
function hasEmptyPlaceholder({ members }: Typed, { report }: ActionContext): boolean {
  const isEmpty = [...members.values()].map(({ value }) =>
    textsIn(value).map(({ text, at }) =>
      strangePlaceholders(text).map((strange) => {
        const { severity, message, suggestion } = strange;
        report(at, { severity, code: "placeholder", message, suggestion });
        return strange.isEmpty;
      }),
    ),
  );
  return isEmpty.flat(2).includes(true);
}

const textsIn = (node: Node): { text: string; at: number }[] =>
  typeof node.value === "string"
    ? [{ text: node.value, at: node.offset }]
    : (node.children ?? []).flatMap((child) => textsIn(child));

/** A chain stops at what fails (R20): there a failure is one, unless the author has said what else it is. */
function inChain(
  params: Fields,
  { params: { json } }: Action,
  onError: Step["onError"],
  context: ActionContext,
): Fields {
  const stops = context.isChained === true && onError === "stop" && params.on_error === undefined;
  return stops && takes(json, "on_error") ? { ...params, on_error: "raise" } : params;
}

/** Their only effect is what the event's answer says. */
const answering: ReadonlySet<string> = new Set(["inject_message", "module_action_inject", "compact_context"]);

/** The events of rules whose answer says something. */
const answered: readonly string[] = ruleEvents.flatMap(({ name }) =>
  resolveEvent(name)?.some((event) => rowOf(event).accepts.length > 0) ? [name] : [],
);
/** More events are no advice. */
const mostNamed = 4;

function warnOfNoEffect({ events }: ActionUse, { type, typeAt }: Typed, context: ActionContext): void {
  if (!events && !answering.has(type)) return;
  const effective = events?.flatMap((name) => resolveEvent(name) ?? []);
  const isIdle = (event: EventName): boolean =>
    effective ? !hears(effective, event) : rowOf(event).accepts.length === 0;
  const idle = context.events.filter((name) => resolveEvent(name)?.every(isIdle));
  if (idle.length === 0) return;
  const named = events ?? answered;
  const few = named.slice(0, mostNamed).join(" or ");
  const suggestion = `write on: ${few}${named.length > mostNamed ? `; docs/${events ? "actions" : "events"}.md names the others` : ""}`;
  context.report(typeAt, {
    severity: "warning",
    code: "ignored-field",
    message: `${type} has no effect on ${idle.join(", ")}`,
    suggestion,
  });
}

/** Whether the author of an invalid rule asks for safety, as far as the rest of it shows (R46). */
export function meansGuard(node: Node | undefined, registry: Registry): boolean {
  const own = membersOf(node);
  const all = [...own, ...membersOf(own.find(({ key }) => key === "params")?.value)];
  const valueAt = (name: string): Node | undefined => all.find(({ key }) => key === name)?.value;
  const written = node?.type === "string" ? node : (valueAt("type") ?? misspeltType(own));
  const type = written?.value;
  if (typeof type !== "string") return false;
  if (nearest(type, [chain.name]) && valueAt("actions"))
    return valueAt("actions")?.children?.some((one) => meansGuard(one, registry)) ?? false;
  const name = registry.handlers.has(type) ? type : nearest(type, actionNames(registry));
  const handler = name === undefined ? undefined : registry.handlers.get(name);
  if (!handler?.action) return false;
  return isGuardWith(handler.action, Object.fromEntries(all.map(({ key, value }) => [key, jsonOf(value)])));
}

const misspeltType = (members: readonly Member[]): Node | undefined =>
  members.find(({ key }) => nearest(key, ["type"]) !== undefined)?.value;

/** The role may look at parameters that are not as it expects them. */
function isGuardWith({ role }: ActionUse, params: Fields): boolean {
  try {
    return role(params) === "guard";
  } catch {
    return false; // it cannot say so of these
  }
}
