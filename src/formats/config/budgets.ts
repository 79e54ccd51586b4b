/** `budgets` of hookline.yaml: how long events and single hooks may take. Its schema, and how it is read. */
import type { Json } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { didYouMean } from "../../engine/nearest.ts";
import { integer, mapOf as mapSchema, object, type Schema, say } from "../../engine/schema.ts";
import type { Node } from "../reading/json-tree.ts";
import type { YamlFile } from "../reading/yaml-file.ts";
import { tellError } from "../rules/parameters.ts";
import type { Budgets } from "./config.ts";
import { entriesOf, mapOf } from "./nodes.ts";

const milliseconds: Schema<number> = integer("milliseconds", 1);

export const budgetsSchema: Schema<Budgets> = object(
  {},
  {
    events: say(mapSchema(milliseconds), "what the hooks of an event may take together, by the event's name"),
    hooks: say(mapSchema(milliseconds), "what one hook may take, by its name or id"),
  },
);

const parts: readonly string[] = ["events", "hooks"];

/** What is wrong with one entry leaves the others in force (R33). Events are kept by their own names. */
export function budgetsOf(node: Node, file: YamlFile): Budgets {
  const budgets: Budgets = {};
  for (const { key, at, value } of mapOf(node, "budgets", file)) {
    if (key === "events") budgets.events = eventsOf(value, file);
    else if (key === "hooks") budgets.hooks = entriesOf(value, "hooks", "hook", milliseconds, file);
    else {
      const suggestion = didYouMean(key, parts) ?? `known: ${parts.join(", ")}`;
      tellError(file.report, at, { code: "unknown-field", message: `"budgets" has no "${key}"`, suggestion });
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
    tellError(file.report, at, { code: "unknown-event", message: `no event is called "${key}"`, suggestion });
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
