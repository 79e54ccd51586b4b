/**
 * Repository hooks (specification 001): files of `.system/hooks/` and `.hookline/registry/` become Hooks, entry by entry.
 * Pure; never throws: what cannot be a hook is a problem, and the other files live (R33, R46).
 */

import { compileCondition } from "../../engine/condition.ts";
import { messageOf } from "../../engine/error.ts";
import { type Condition, type Hook, isGuard, type Origin, type Problem, placeOfHook } from "../../engine/hook.ts";
import { asksFor, nearest } from "../../engine/nearest.ts";
import type { Patterns, Registry } from "../../engine/ports.ts";
import { fieldsIn } from "../../engine/schema.ts";
import { counted } from "../../engine/words.ts";
import { guardOfEntry } from "../invalid-guard.ts";
import { collectFaults, emptyFile, isOnlyRemarks } from "../reading/entry.ts";
import { warnOfNeverSent } from "../reading/event-names.ts";
import { jsonOf, type Member, membersOf, type Node, type Report } from "../reading/tree.ts";
import { createNames, ofProject } from "../reading/unique-names.ts";
import { openYaml, type YamlFile } from "../reading/yaml-tree.ts";
import { type Entry, fieldNames, handlerFields, type Members, type ReadHook, readHook } from "./entry.ts";
import { type ReadHandler, readHandler } from "./handler.ts";
import { conditionOf, neverHolds } from "./match.ts";

export interface RegistryOptions {
  /** How ids name the file: relative to its root, never a path of one machine. */
  label: string;
  registry: Registry;
  patterns: Patterns;
  /** Events that an agent here can send; absent: not checked. */
  sendable?: ReadonlySet<string>;
}
export interface CompiledRegistry {
  /** In the order of the file. */
  hooks: Hook[];
  problems: Problem[];
}

/** @param origin layer, file and root; line and column are set for each hook */
export function compileRegistry(
  text: string,
  origin: Origin,
  { label, ...options }: RegistryOptions,
): CompiledRegistry {
  const file = openYaml(text, { ...origin, dialect: "registry" });
  const context: EntryContext = { ...options, file, idOf: namesOf(file, label) };
  const hooks = entriesOf(file).flatMap((node) => compileEntry(node, context) ?? []);
  return { hooks, problems: file.problems() };
}

/** One project's ids are not another's, and no two hooks of a file have one: records are kept under them. */
function namesOf({ origin }: YamlFile, label: string): EntryContext["idOf"] {
  const project = ofProject(origin.root);
  const unique = createNames();
  return (written) => `registry:${label}#${unique(written)}${project}`;
}

/** A file is one hook; a list of them is read as well. */
function entriesOf(file: YamlFile): Node[] {
  const { root, text, report } = file;
  if (!root) {
    if (file.problems().length === 0 && !isOnlyRemarks(text)) report(0, emptyFile("a hook"));
    return [];
  }
  const list = root.type === "array" ? root : listIn(root);
  if (!list) return [root];
  const entries = list.children ?? [];
  if (entries.length > 0) {
    const message = `${counted(entries.length, "hook stands", "hooks stand")} in a list; other readers of these files take one hook from each`;
    report(list.offset, { severity: "note", code: "shape", message, suggestion: "give each a file of its own" });
  }
  return entries;
}

function listIn(root: Node): Node | undefined {
  const members = membersOf(root);
  if (members.some(({ key }) => key === "id" || key === "event_type" || key === "handler")) return undefined;
  const list = members.find(({ key }) => key === "hooks")?.value;
  return list?.type === "array" ? list : undefined;
}

/**
 * Ids are unique over all files of a project: the first hook that is enabled keeps its id, and a later one is disabled and
 * says why. A blocking one stays on watch beside it.
 *
 * @returns the same hooks in the same order
 */
export function reportSameIds(hooks: readonly Hook[]): { hooks: Hook[]; problems: Problem[] } {
  const first = new Map<string, Hook>();
  const problems: Problem[] = [];
  const checked = hooks.map((hook) => {
    const key = JSON.stringify([hook.origin.root ?? "", hook.name]);
    const earlier = first.get(key);
    if (!earlier?.enabled) first.set(key, earlier && !hook.enabled ? earlier : hook);
    if (!earlier) return hook;
    const message = `the id "${hook.name}" is also that of ${placeOf(earlier)}`;
    const isOff = earlier.enabled && hook.enabled && !isGuard(hook) && !isWeaker(earlier, hook);
    problems.push(sameId(hook, `${message}${endingOf(earlier, hook)}`));
    return isOff ? { ...hook, enabled: false, disabledBecause: message } : hook;
  });
  return { hooks: checked, problems };
}

/** What nobody has trusted takes nothing away from what a person has. */
const isWeaker = (earlier: Hook, hook: Hook): boolean =>
  earlier.untrusted !== undefined && hook.untrusted === undefined;

function endingOf(earlier: Hook, hook: Hook): string {
  if (!hook.enabled) return "; this hook is disabled";
  if (isWeaker(earlier, hook)) return ", which is not trusted, so this hook runs";
  if (!earlier.enabled) return ", which is disabled, so this hook runs";
  return isGuard(hook) ? "; both run, because this one is blocking" : ", so this hook does not run";
}

const placeOf = ({ origin: { file = "", line = 1 } }: Hook): string => `${file}:${line}`;

const sameId = (hook: Hook, message: string): Problem => ({
  severity: "error",
  code: "duplicate-key",
  message,
  suggestion: "give each hook an id of its own",
  ...placeOfHook(hook),
});

interface EntryContext {
  file: YamlFile;
  registry: Registry;
  patterns: Patterns;
  sendable?: ReadonlySet<string>;
  /** A hook's id in the engine; the file's other hooks have a say in it. */
  idOf(written: string): string;
}

/** Nothing is made of a broken text, whatever is left of it: its file says so, and keeps its last good guards (R76). */
function compileEntry(node: Node, context: EntryContext): Hook | undefined {
  const { file } = context;
  if (file.isBroken(node)) return undefined;
  const { faults, report } = collectFaults(node, file);
  const read = readHook(node, report);
  const { entry } = read;
  const handler = entry && readHandler({ ...read, entry }, { ...context, report });
  const when = whenOf(read, handler, { ...context, report });
  const [reason] = faults;
  if (reason === undefined && entry && handler) {
    warnOfNever(read, { ...context, report });
    return hookOf({ ...read, entry }, handler, when, context);
  }
  const policy = guardMeant(read.members, context.registry);
  return policy && guardInPlace(read, { ...policy, when, reason: reason ?? "it has no handler" }, context);
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
  const params = fieldsIn(given);
  if (builtin?.role(params) === "guard")
    return { role: "guard", onFailure: isBlocking || !members.has("blocking") ? "block" : "continue" };
  return isBlocking ? { role: "undeclared", onFailure: "block" } : undefined;
}

function guardInPlace(
  { node, members, events }: ReadHook,
  guard: Policy & { when: Condition | undefined; reason: string },
  { file, idOf }: EntryContext,
): Hook {
  const name = members.get("id")?.value.value;
  const enabled = members.get("enabled")?.value.value !== false;
  const origin = { ...file.origin, ...file.locate(node.offset) };
  return guardOfEntry(
    { ...guard, events, enabled, ...reportIn(members), origin, name: typeof name === "string" ? name : "" },
    { file, node, part: "hook", idOf },
  );
}

const reportIn = (members: ReadHook["members"]): { report?: true } =>
  members.get("report")?.value.value === true ? { report: true } : {};

type ReportingContext = EntryContext & { report: Report };

/** undefined also where it cannot be compiled, which is reported: a guard then fails on all of its events. */
function whenOf(
  { match, events, members, node }: ReadHook,
  handler: ReadHandler | undefined,
  context: ReportingContext,
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
  { node, entry, events }: ReadHook & { entry: Entry },
  { step, role }: ReadHandler,
  when: Condition | undefined,
  { file, idOf }: EntryContext,
): Hook {
  const id = entry.id.trim();
  const environments = [entry.environments ?? []].flat().map((one) => one.trim());
  return {
    id: idOf(id),
    name: id,
    ...(entry.summary?.trim() ? { summary: entry.summary.trim() } : {}),
    on: { event: events.events, as: events.written },
    ...(when ? { when } : {}),
    steps: [step],
    limits: { overlap: "coalesce", ...(entry.text_limit === undefined ? {} : { text: entry.text_limit }) },
    mode: "sync",
    role,
    onFailure: (entry.blocking ?? role === "guard") ? "block" : "continue",
    ...(entry.report ? { report: true } : {}),
    priority: entry.priority ?? 100,
    enabled: entry.enabled !== false,
    ...(environments.length > 0 ? { environments } : {}),
    tags: [],
    origin: { ...file.origin, ...file.locate(node.offset) },
  };
}

function warnOfNever({ node, members, match, events }: ReadHook, { sendable, report }: ReportingContext): void {
  const why = neverHolds(match, events.events);
  if (why !== undefined) {
    report(members.get("match")?.at ?? node.offset, {
      severity: "warning",
      code: "if-never",
      message: `${events.written.join(" and ")} ${why}, so this hook never runs`,
      suggestion: "remove it from match, or listen to PostAbilityCall",
    });
  }
  const at = members.get("event_type")?.value.offset ?? node.offset;
  warnOfNeverSent(events, { sendable, part: "hook", at }, report);
}
