/** One entry of a registry file becomes one Hook, or findings that say why not (R33, R46). */
import { compileCondition } from "../../engine/condition.ts";
import { messageOf } from "../../engine/error.ts";
import type { Fields } from "../../engine/event.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Condition, Hook } from "../../engine/hook.ts";
import { asksFor, nearest } from "../../engine/nearest.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { isRecord } from "../../engine/schema.ts";
import { guardInvalid, invalidGuard } from "../invalid-guard.ts";
import type { Member, Node } from "../reading/json-tree.ts";
import type { YamlFile } from "../reading/yaml-file.ts";
import type { RuleReport } from "../reading/yaml-nodes.ts";
import { jsonOf, membersOf } from "../reading/yaml-values.ts";
import { resolved } from "../rules/entry.ts";
import { type Members, type ReadEntry, readEntry } from "./entry.ts";
import { type Entry, fieldNames, handlerFields } from "./fields.ts";
import { type ReadHandler, readHandler } from "./handler.ts";
import { conditionOf, neverHolds } from "./match.ts";

export interface EntryContext {
  file: YamlFile;
  registry: Registry;
  patterns: Patterns;
  /** Which environment this is, such as dev or ci. */
  environment: string;
  sendable?: ReadonlySet<string>;
  /** A hook's id in the engine; the file's other hooks have a say in it. */
  idOf(written: string): string;
}

/** Nothing is made of a broken text, whatever is left of it: its file says so, and keeps its last good guards (R76). */
export function compileEntry(node: Node, context: EntryContext): Hook | undefined {
  const { file } = context;
  if (file.isBroken(node)) return undefined;
  const isFaulty = file.isFaulty(node);
  const faults = isFaulty ? ["a part of it is refused"] : [];
  const report: RuleReport = (offset, finding) => {
    if (isFaulty) return; // what a refused part leaves behind is no mistake of its own
    if (finding.severity === "error") faults.push(finding.message);
    file.report(offset, finding);
  };
  const read = readEntry(node, report);
  const { entry } = read;
  const handler = entry && readHandler({ ...read, entry }, { ...context, report });
  const when = whenOf(read, handler, { ...context, report });
  const [reason] = faults;
  if (reason === undefined && entry && handler) {
    warnOfNever(read, { ...context, report });
    return hookOf({ ...read, entry }, handler, when, context);
  }
  const policy = guardMeant(read.members, context.registry);
  return policy && guardInPlace(read, { policy, when, reason: reason ?? "it has no handler" }, context);
}

type Policy = Pick<Hook, "role" | "onFailure">;

/** What an invalid hook would be if it were valid, where that is a guard: its author asks for it, or its built-in handler is one. */
function guardMeant(members: Members, { handlers }: Registry): Policy | undefined {
  const written: readonly Member[] = [...members.values()];
  const values = written.map(({ key, value }): [string, unknown] => [key, jsonOf(value)]);
  const isBlocking = asksFor("blocking", values, fieldNames);
  const handler = written.find(({ key }) => nearest(key, fieldNames) === "handler")?.value;
  const { name, with: given } = Object.fromEntries(
    membersOf(handler).map(({ key, value }) => [nearest(key, handlerFields) ?? key, jsonOf(value)] as const),
  );
  const builtins = [...handlers].flatMap(([one, { builtin }]) => (builtin ? [one] : []));
  const builtin = handlers.get(nearest(String(name), builtins) ?? "")?.builtin;
  const params = isRecord(given) ? (given as Fields) : {}; // it is plain JSON
  if (builtin?.role(params) === "guard")
    return { role: "guard", onFailure: isBlocking || !members.has("blocking") ? "block" : "continue" };
  return isBlocking ? { role: "undeclared", onFailure: "block" } : undefined;
}

function guardInPlace(
  { node, members, events }: ReadEntry,
  { policy, when, reason }: { policy: Policy; when: Condition | undefined; reason: string },
  { file, idOf }: EntryContext,
): Hook {
  file.report(node.offset, guardInvalid({ ...policy, reason }, "hook"));
  const written = members.get("id")?.value.value;
  const name = typeof written === "string" ? written.trim() : "";
  const text = file.text.slice(node.offset, node.offset + node.length);
  return invalidGuard({
    ...policy,
    id: idOf(name || `invalid-${fingerprint(text).slice(0, 8)}`),
    name,
    events: [...events.events, ...events.meant],
    written: events.written,
    when,
    enabled: members.get("enabled")?.value.value !== false,
    reason,
    origin: { ...file.origin, ...file.locate(node.offset) },
  });
}

type Telling = EntryContext & { report: RuleReport };

/** undefined also where it cannot be compiled, which was told: a guard then fails on all of its events. */
function whenOf(
  { match, events, members, node }: ReadEntry,
  handler: ReadHandler | undefined,
  context: Telling,
): Condition | undefined {
  const { root } = context.file.origin;
  const when = conditionOf(match, {
    events: events.events,
    wantsChanges: handler?.wantsChanges ?? false,
    ...(root === undefined ? {} : { root }),
  });
  if (!when) return undefined;
  try {
    compileCondition(when, context.registry, context.patterns);
    return when;
  } catch (error) {
    context.report(members.get("match")?.value.offset ?? node.offset, {
      severity: "error",
      code: "matcher-invalid",
      message: messageOf(error),
    });
    return undefined;
  }
}

function hookOf(
  { node, entry, events }: ReadEntry & { entry: Entry },
  { step, role }: ReadHandler,
  when: Condition | undefined,
  { file, environment, idOf }: EntryContext,
): Hook {
  const id = entry.id.trim();
  const elsewhere = otherEnvironment(entry, environment);
  return {
    id: idOf(id),
    name: id,
    ...(entry.summary?.trim() ? { summary: entry.summary.trim() } : {}),
    on: { event: events.events, as: events.written },
    ...(when ? { when } : {}),
    steps: [step],
    limits: { overlap: "coalesce" },
    mode: "sync",
    role,
    onFailure: (entry.blocking ?? role === "guard") ? "block" : "continue",
    priority: entry.priority ?? 100,
    enabled: entry.enabled !== false && elsewhere === undefined,
    ...(entry.enabled !== false && elsewhere !== undefined ? { disabledBecause: elsewhere } : {}),
    tags: [],
    origin: { ...file.origin, ...file.locate(node.offset) },
  };
}

/** Why the hook is not for this environment, if so (R39). */
function otherEnvironment({ environments }: Entry, environment: string): string | undefined {
  const named = [environments ?? []].flat().map((one) => one.trim());
  if (named.length === 0 || named.includes(environment)) return undefined;
  return `it is for ${named.join(" and ")}, and this is ${environment}`;
}

function warnOfNever({ node, members, match, events }: ReadEntry, { sendable, report }: Telling): void {
  const why = neverHolds(match, events.events);
  if (why !== undefined) {
    report(members.get("match")?.at ?? node.offset, {
      severity: "warning",
      code: "if-never",
      message: `${events.written.join(" and ")} ${why}, so this hook never runs`,
      suggestion: "remove it from match, or listen to PostAbilityCall",
    });
  }
  const never = events.written.filter(
    (name) => sendable && resolved(name).every((event) => !event.includes(".") && !sendable.has(event)),
  );
  if (never.length === 0) return;
  report(members.get("event_type")?.value.offset ?? node.offset, {
    severity: "warning",
    code: "event-never-sent",
    message: `no agent here can send ${never.join(", ")}, so ${never.length === events.written.length ? "this hook runs only by hookline emit" : "that part never comes"}`,
    suggestion: "docs/events.md says who sends what",
  });
}
