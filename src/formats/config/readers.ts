/** How values of hookline.yaml are read from its tree: lists of texts, maps whose entries stand or fall alone (R33), budgets, and the keys of automations. */
import type { Json } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { kindOf, type Schema } from "../../engine/schema.ts";
import { jsonOf, type Member, membersOf, type Node } from "../reading/tree.ts";
import type { YamlFile } from "../reading/yaml-tree.ts";
import { reportError, reportWrong } from "../rules/parameters.ts";
import type { Budgets, Config } from "./config.ts";
import {
  type ConfigKeyName,
  engineSettings,
  inboundWebhook,
  memorySettings,
  milliseconds,
  noticeChannel,
} from "./keys.ts";

export interface Reader {
  file: YamlFile;
  /** Somebody else may have written it. */
  ofProject: boolean;
}

/** Where people say what a project's file may not. */
export const ownFile = "write it in your own ~/.config/hookline/config.yaml";

/** The texts of a list; what is none is told of and left out. */
export function textsOf(node: Node, name: string, { report }: YamlFile): string[] {
  if (node.type === "null") return [];
  if (node.type !== "array") {
    const message = `"${name}" needs a list but is ${kindOf(jsonOf(node))}`;
    const suggestion = node.type === "string" ? `write [${String(node.value)}]` : "begin each entry with -";
    reportError(report, node.offset, { code: "wrong-type", message, suggestion });
    return [];
  }
  return (node.children ?? []).flatMap((item) => {
    if (typeof item.value === "string" && item.value.trim() !== "") return [item.value.trim()];
    const message = `an entry of "${name}" needs text but is ${kindOf(jsonOf(item))}`;
    reportError(report, item.offset, { code: "wrong-type", message });
    return [];
  });
}

/** The entries of a map that are valid; what is wrong with the others is told (R33). */
export function entriesOf<T>(
  node: Node,
  name: string,
  subject: string,
  schema: Schema<T>,
  file: YamlFile,
): { [name: string]: T } {
  const entries: { [name: string]: T } = {};
  for (const { key, value } of mapOf(node, name, file)) {
    const json = jsonOf(value);
    const wrong = schema.check(json);
    const members = new Map(membersOf(value).map((member) => [member.key, member]));
    reportWrong(wrong, { subject: `${subject} ${key}`, node: value, members }, file.report);
    if (wrong.length === 0 && !file.isFaulty(value)) entries[key] = json as T; // its schema has passed it
  }
  return entries;
}

/** The members of a map that are valid by themselves: what is wrong with one leaves the others in force. */
export function membersThatHold<T extends object>(
  node: Node,
  name: string,
  schema: Schema<T>,
  file: YamlFile,
): Partial<T> {
  const members = mapOf(node, name, file);
  const wrong = node.type === "object" ? schema.check(jsonOf(node)) : [];
  const known = new Map(members.map((member) => [member.key, member]));
  reportWrong(wrong, { subject: name, node, members: known }, file.report);
  const isWrong = (key: string): boolean => wrong.some(({ path }) => path[0] === key);
  const holding = members.filter(({ key, value }) => !isWrong(key) && !file.isFaulty(value));
  return Object.fromEntries(holding.map(({ key, value }) => [key, jsonOf(value)])) as Partial<T>; // its schema has passed each
}

export function mapOf(node: Node, name: string, { report }: YamlFile): Member[] {
  if (node.type === "object" || node.type === "null") return membersOf(node);
  const message = `"${name}" needs a map but is ${kindOf(jsonOf(node))}`;
  return reportError(report, node.offset, { code: "wrong-type", message, suggestion: "write name: below it" }) ?? [];
}

const parts: readonly string[] = ["events", "hooks"];

/** What is wrong with one entry leaves the others in force (R33). Events are kept by their own names. */
export function budgetsOf(node: Node, file: YamlFile): Budgets {
  const budgets: Budgets = {};
  for (const { key, at, value } of mapOf(node, "budgets", file)) {
    if (key === "events") budgets.events = eventsOf(value, file);
    else if (key === "hooks") budgets.hooks = entriesOf(value, "hooks", "hook", milliseconds, file);
    else {
      const suggestion = didYouMean(key, parts) ?? `known: ${parts.join(", ")}`;
      reportError(file.report, at, { code: "unknown-field", message: `"budgets" has no "${key}"`, suggestion });
    }
  }
  return budgets;
}

function eventsOf(node: Node, file: YamlFile): { [event: string]: number } {
  const written = entriesOf(node, "events", "event", milliseconds, file);
  const events: { [event: string]: number } = {};
  for (const { key, at } of mapOf(node, "events", file)) {
    const limit: Json | undefined = Object.hasOwn(written, key) ? written[key] : undefined;
    const names = resolveEvent(key);
    if (names && typeof limit === "number") for (const name of names) events[name] = limit;
    if (names) continue;
    const suggestion = didYouMean(key, eventNames) ?? "their names stand in docs/events.md";
    reportError(file.report, at, { code: "unknown-event", message: `no event is called "${key}"`, suggestion });
  }
  return events;
}

/** The inner file wins, name by name. */
export const mergeBudgets = (outer: Budgets, inner: Budgets): Budgets => ({
  ...outer,
  ...inner,
  ...(outer.events && inner.events ? { events: { ...outer.events, ...inner.events } } : {}),
  ...(outer.hooks && inner.hooks ? { hooks: { ...outer.hooks, ...inner.hooks } } : {}),
});

type AutomationKey = Extract<ConfigKeyName, "hook_engine" | "notifications" | "notify" | "webhooks" | "memory">;

export const automationReaders: { readonly [K in AutomationKey]: (node: Node, reader: Reader) => Partial<Config> } = {
  hook_engine: (node, { file }) => ({ engine: membersThatHold(node, "hook_engine", engineSettings, file) }),
  notifications(node, reader) {
    const refusal = "a project's file may not define places for notices: what automations found would be sent there";
    if (isRefused(node, reader, refusal)) return {};
    return { notifications: entriesOf(node, "notifications", "notification", noticeChannel, reader.file) };
  },
  notify: (node, { file }) => ({ notify: textsOf(node, "notify", file) }),
  webhooks(node, reader) {
    const refusal = "a project's file may not say who can send events: it would hold its own secret";
    if (isRefused(node, reader, refusal)) return {};
    const webhooks = entriesOf(node, "webhooks", "webhook", inboundWebhook, reader.file);
    return { webhooks: Object.fromEntries(Object.entries(webhooks).filter(([name]) => isUsable(name, node, reader))) };
  },
  memory: (node, { file }) => ({ memory: membersThatHold(node, "memory", memorySettings, file) }),
};

/** An empty key says nothing that could be refused. */
function isRefused(node: Node, { file, ofProject }: Reader, message: string): boolean {
  if (!ofProject || node.type === "null") return false;
  reportError(file.report, node.offset, { code: "setting-refused", message, suggestion: ownFile });
  return true;
}

/** It stands in an address. */
function isUsable(name: string, node: Node, { file }: Reader): boolean {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return true;
  const at = membersOf(node).find(({ key }) => key === name)?.at ?? node.offset;
  const message = `the name of the webhook "${name}" stands in its address`;
  reportError(file.report, at, { code: "shape", message, suggestion: "use letters, digits, dots, _ and -" });
  return false;
}
